import { expect, test } from 'vitest';
import { propertiesOf, resourcesOf, templateOf } from './testing/template.ts';

const tableType = 'AWS::DynamoDB::GlobalTable';

test('the table has the keys, the indexes and the TTL attribute of the contracts', () => {
  expect(propertiesOf(templateOf('prod'), tableType, 'StorageTable')).toMatchObject({
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: 'byAccount',
        KeySchema: [
          { AttributeName: 'listAccountId', KeyType: 'HASH' },
          { AttributeName: 'listKey', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
      {
        IndexName: 'byDay',
        KeySchema: [
          { AttributeName: 'dayKey', KeyType: 'HASH' },
          { AttributeName: 'daySort', KeyType: 'RANGE' },
        ],
        Projection: {
          ProjectionType: 'INCLUDE',
          NonKeyAttributes: ['acceptedAt', 'window', 'total', 'cut', 'policy'],
        },
      },
    ],
    TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
  });
});

test.each(['dev', 'prod'] as const)('the table of %s can be restored to any second', (stage) => {
  expect(propertiesOf(templateOf(stage), tableType, 'StorageTable')).toMatchObject({
    Replicas: [{ PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } }],
  });
});

test('outside development the table outlives its stack and refuses to be deleted', () => {
  const kept = templateOf('prod');
  expect(resourcesOf(kept, tableType).get('StorageTable')).toMatchObject({ DeletionPolicy: 'Retain' });
  expect(propertiesOf(kept, tableType, 'StorageTable')).toMatchObject({
    Replicas: [{ DeletionProtectionEnabled: true }],
  });
});

test('in development the table goes with its stack', () => {
  const dev = templateOf('dev');
  expect(resourcesOf(dev, tableType).get('StorageTable')).toMatchObject({ DeletionPolicy: 'Delete' });
  expect(propertiesOf(dev, tableType, 'StorageTable')).toMatchObject({
    Replicas: [{ DeletionProtectionEnabled: false }],
  });
});
