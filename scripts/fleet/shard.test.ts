import { expect, _baseTest as test } from '@playwright/test';
import type { Entry } from '../../tests/fleet/inventory.ts';
import { assignShards, entriesOf, readShard, shardOfEnvironment } from './shard.ts';

const entry = (name: string, baseUrl = `https://${name}.example`): Entry => ({ name, baseUrl, line: 1 });
const names = (entries: readonly Entry[]) => entries.map(({ name }) => name);

test('shards share out all deployments, each to one shard', () => {
  const entries = Array.from({ length: 60 }, (_, at) => entry(`site-${String(at).padStart(2, '0')}`));
  const assignment = assignShards(entries, 4);
  const shards = [1, 2, 3, 4].map((index) => names(entriesOf({ index, total: 4 }, assignment)));
  expect(shards.map(({ length }) => length)).toEqual([15, 15, 15, 15]);
  expect(shards.flat().toSorted()).toEqual(names(entries));
  expect(assignShards(entries, 4)).toEqual(assignment);
});

test('deployments of one host are in one shard', () => {
  const entries = [
    entry('a', 'https://one.example/a'),
    entry('b', 'https://two.example'),
    entry('c', 'https://ONE.example:8443/c'),
    entry('d'),
  ];
  expect([...assignShards(entries, 3).values()]).toEqual([1, 2, 1, 3]);
});

test('ports of this machine are hosts of their own', () => {
  const entries = [entry('a', 'http://127.0.0.1:1'), entry('b', 'http://127.0.0.1:2')];
  expect([...assignShards(entries, 2).values()]).toEqual([1, 2]);
});

test('shard without deployments is refused with the number that is enough', () => {
  const assignment = assignShards([entry('a'), entry('b')], 3);
  expect(() => entriesOf({ index: 3, total: 3 }, assignment)).toThrow('Use at most 2 shards.');
});

for (const text of ['0/2', '3/2', '2', '1/0', '1/2/3', 'a/b', '-1/2'])
  test(`shard ${text} is refused`, () => {
    expect(() => readShard(text, '--shard')).toThrow(`--shard is "${text}"`);
  });

test('shard that is more than there are is refused with that reason', () => {
  expect(() => readShard('3/2', '--shard')).toThrow(
    '--shard is "3/2", and 3 is more than 2. Write it as 2/5',
  );
});

for (const [engine, env, shard] of [
  ['GitLab', { CI_NODE_INDEX: '2', CI_NODE_TOTAL: '4' }, { index: 2, total: 4 }],
  ['Kubernetes', { JOB_COMPLETION_INDEX: '0', MRS_SHARD_TOTAL: '4' }, { index: 1, total: 4 }],
  ['a GitLab job that is not parallel', { CI_NODE_TOTAL: '1' }, undefined],
  ['no engine', {}, undefined],
] as const)
  test(`shard is known from the environment of ${engine}`, () => {
    expect(shardOfEnvironment(env)).toEqual(shard);
  });

for (const [what, env, sentence] of [
  ['no total', { JOB_COMPLETION_INDEX: '0' }, 'JOB_COMPLETION_INDEX is set, but MRS_SHARD_TOTAL is not.'],
  [
    'an index above the total',
    { JOB_COMPLETION_INDEX: '4', MRS_SHARD_TOTAL: '4' },
    'JOB_COMPLETION_INDEX is "4" and MRS_SHARD_TOTAL is "4"',
  ],
  ['an index that is not a number', { CI_NODE_INDEX: 'x', CI_NODE_TOTAL: '4' }, 'CI_NODE_INDEX is "x"'],
] as const)
  test(`environment with ${what} is refused`, () => {
    expect(() => shardOfEnvironment(env)).toThrow(sentence);
  });
