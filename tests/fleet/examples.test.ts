import { readFileSync, writeFileSync } from 'node:fs';
import { expect, _baseTest as test } from '@playwright/test';
import { renderMarkdown } from '../report/markdown.ts';
import { renderFleetPage } from './report/fleet-page.ts';
import { modelOf } from './report/model.ts';
import { EXAMPLE } from './report/testing/sample-fleets.ts';

const folder = new URL('examples/', import.meta.url);

for (const [name, text] of [
  ['fleet.html', renderFleetPage(EXAMPLE)],
  ['summary.md', renderMarkdown(modelOf(EXAMPLE))],
] as const)
  test(`examples/${name} is what a report on a fleet looks like`, () => {
    const file = new URL(name, folder);
    if (test.info().config.updateSnapshots === 'all') writeFileSync(file, text);
    const hint = 'The example is out of date. Run this test with --update-snapshots=all, and commit it.';
    expect(readFileSync(file, 'utf8'), hint).toBe(text);
  });
