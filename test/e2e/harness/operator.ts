import { CreateAccessKeyCommand, CreateUserCommand, IAMClient, PutUserPolicyCommand } from '@aws-sdk/client-iam';
import { localClientConfig } from '@usher/loopback';
import { aws } from './emulator.ts';

/** A key with which calls are signed. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

const UserName = 'operator';

/** The user whom the deployment under test knows as its operator. */
export const operatorArn = `arn:aws:iam::${aws.accountId}:user/${UserName}`;

/** Makes that user, who may do everything; the queues' own policies still apply. */
export async function createOperator(endpoint: string): Promise<Credentials> {
  const iam = new IAMClient({ ...localClientConfig(endpoint), region: aws.region, credentials: aws.credentials });
  await iam.send(new CreateUserCommand({ UserName }));
  const everything = { Effect: 'Allow', Action: '*', Resource: '*' };
  const PolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement: [everything] });
  await iam.send(new PutUserPolicyCommand({ UserName, PolicyName: 'everything', PolicyDocument }));
  const { AccessKey } = await iam.send(new CreateAccessKeyCommand({ UserName }));
  const { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey } = AccessKey ?? {};
  if (accessKeyId === undefined || secretAccessKey === undefined) throw new Error('IAM made no key for the operator');
  return { accessKeyId, secretAccessKey };
}
