import type { ReplayDestination, StartReplayCommandInput } from '@aws-sdk/client-eventbridge';
import { type } from 'arktype';
import { expect, test } from 'vitest';
import { archiveDays } from './numbers.ts';
import { callsOf, runbook, shellBlocks } from './testing/runbook-shell.ts';
import { prod, propertiesOf } from './testing/template.ts';
import { StackOutputs } from './verify/outputs.ts';

const [example = '', ofReports = ''] = shellBlocks.filter((block) => block.startsWith('replay '));
const calls = callsOf(example);
const [started = '', ...others] = calls.filter((call) => call.startsWith('events start-replay '));

/** The parameters of the call, by the names that the API gives them. */
const parameters = new Map(
  [...started.matchAll(/ --([a-z-]+) (\S+)/g)].map(([, flag = '', value = '']) => [
    flag.replaceAll(/(?:^|-)(.)/g, (_, first: string) => first.toUpperCase()),
    value,
  ]),
);
const Destination = type('string.json.parse').to({ '+': 'reject', Arn: 'string', FilterArns: 'string[]' });

test("the runbook's example replays once, from the archive to one rule of the bus", () => {
  expect(others).toEqual([]);
  expect(parameters.get('EventSourceArn')).toBe('EventArchiveArn');
  expect(Destination.assert(parameters.get('Destination'))).toEqual({
    Arn: 'EventBusArn',
    FilterArns: ['EventsRuleArn'],
  } satisfies ReplayDestination);
});

test('the example of reports is the same replay, to their rule', () => {
  const expected = calls.map((call) => call.replaceAll('EventsRuleArn', 'ReportRuleArn'));
  // The name is the second in which the commands were run, and the two examples may be run in different ones.
  const withoutSecond = (call: string): string => call.replace(/\breplay-\d{8}T\d{6}Z\b/, 'replay-<second>');
  expect(callsOf(ofReports).map(withoutSecond)).toEqual(expected.map(withoutSecond));
  expect(expected.filter((call) => withoutSecond(call) !== call)).toHaveLength(2);
});

test('the parameters are those of the API: all that it needs, in the form that it takes', () => {
  const needed: Record<keyof Omit<StartReplayCommandInput, 'Description'>, unknown> = {
    ReplayName: expect.stringMatching(/^[.\-_A-Za-z0-9]{1,64}$/),
    EventSourceArn: expect.any(String),
    EventStartTime: expect.any(String),
    EventEndTime: expect.any(String),
    Destination: expect.any(String),
  };
  expect(Object.fromEntries(parameters)).toEqual(needed);
  const [starts, ends] = ['EventStartTime', 'EventEndTime'].map((name) => Date.parse(parameters.get(name) ?? ''));
  expect(ends).toBeGreaterThan(starts ?? Number.NaN);
});

test('the replay that is looked at is the one that was started', () => {
  expect(calls.at(-1)).toBe(`events describe-replay --replay-name ${parameters.get('ReplayName')}`);
});

test('what the example names are outputs of the stack, of the archive, its bus and its rule', () => {
  const outputs = type({ '[string]': { Value: { 'Fn::GetAtt': ['string', "'Arn'"] } } });
  const named = ['EventArchiveArn', 'EventBusArn', 'EventsRuleArn', 'ReportRuleArn'];
  const found = named.map((name) => outputs.assert(prod().findOutputs(name))[name]?.Value['Fn::GetAtt'][0]);
  expect(found.map((logicalId) => logicalId?.slice(0, -8))).toEqual([
    'EventsArchive',
    'EventsBus',
    'EventsAllEvents',
    'ReportsReportedEvents',
  ]);
  for (const name of named) expect(StackOutputs.props.map(({ key }) => key)).toContain(name);
});

test('the archive is that of the bus, and keeps as long as the runbook says', () => {
  const archive = propertiesOf(prod(), 'AWS::Events::Archive', 'EventsArchive');
  expect(archive).toMatchObject({ SourceArn: 'EventsBus', RetentionDays: archiveDays });
  expect(runbook).toContain(`It keeps ${archiveDays} days.`);
});
