import { expect, _baseTest as test } from '@playwright/test';
import { defects } from '../../mocks/deployments/defects.ts';
import { variants } from '../../mocks/deployments/variants.ts';
import { permittedClients } from '../../tests/client/corpus/permitted.ts';
import { wrongClients } from '../../tests/client/corpus/wrong.ts';
import { permittedFeeds } from '../../tests/feed/corpus/permitted.ts';
import { wrongFeeds } from '../../tests/feed/corpus/wrong.ts';
import type { Finding } from '../../tests/feed/findings.ts';
import { RULES } from '../../tests/feed/rules.ts';
import { permittedFeedFaults, proveFeeds, wrongFeedFaults } from './feeds.ts';
import { sampleFeeds } from './select-feeds.ts';

for (const feed of wrongFeeds)
  test(`${feed.name}, which ${feed.summary}, is reported by ${feed.rule}`, async () => {
    const { faults } = await proveFeeds({ wrong: [feed], permitted: [] });
    expect(faults).toEqual([]);
  });

for (const feed of permittedFeeds)
  test(`${feed.name}, which ${feed.summary}, is accepted`, async () => {
    const { faults } = await proveFeeds({ wrong: [], permitted: [feed] });
    expect(faults).toEqual([]);
  });

test('every rule on single reads has a wrong feed', () => {
  const proved = new Set(wrongFeeds.map(({ rule }) => rule));
  expect(RULES.map(({ id }) => id).filter((id) => !proved.has(id))).toEqual(['stale', 'unstable-order']);
});

test('no two subjects of the proof have the same name', () => {
  const subjects = [defects, variants, wrongClients, permittedClients, wrongFeeds, permittedFeeds].flat();
  const names = subjects.map(({ name }) => name);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

test('the sample has wrong and permitted feeds', () => {
  expect([sampleFeeds().wrong.length, sampleFeeds().permitted.length]).toEqual([4, 3]);
});

const finding = (rule: Finding['rule'], ruleClass: Finding['class'], seen: string): Finding => ({
  rule,
  class: ruleClass,
  count: 1,
  places: [{ pointer: '', seen }],
});

test('a wrong feed that is not reported, only warned of or reported for another reason is a fault', () => {
  const feed = { name: 'w', summary: '', rule: 'range', says: /400/ } as const;
  expect(wrongFeedFaults(feed, [])).toEqual(['w: range should have failed it, and did not.']);
  expect(wrongFeedFaults(feed, [finding('range', 'H', '400')])).toHaveLength(1);
  expect(wrongFeedFaults(feed, [finding('range', 'S', '401')])).toHaveLength(1);
  expect(wrongFeedFaults(feed, [finding('range', 'S', '400'), finding('past', 'S', 'x')])).toEqual([
    'w: past failed it: x, which this feed does not explain.',
  ]);
  expect(wrongFeedFaults(feed, [finding('range', 'S', '400')])).toEqual([]);
});

test('a permitted feed with a finding or an unexpected warning is a fault', () => {
  const feed = { name: 'p', summary: '', warns: { range: /5/ } };
  expect(permittedFeedFaults(feed, [finding('range', 'S', '5')])).toHaveLength(1);
  expect(permittedFeedFaults(feed, [finding('range', 'H', '5'), finding('past', 'H', 'x')])).toEqual([
    'p is permitted, and past warned: x.',
  ]);
  expect(permittedFeedFaults(feed, [])).toEqual(['p: range should have warned, and did not.']);
  expect(permittedFeedFaults(feed, [finding('range', 'H', '5')])).toEqual([]);
});
