import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
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
    const before = read(name);
    // Written anew where it is out of date, to be committed.
    if (before !== text) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(new URL(name, folder), text);
    }
    expect(before, 'The example was out of date, and is written anew. Commit it.').toBe(text);
  });

function read(name: string): string {
  try {
    return readFileSync(new URL(name, folder), 'utf8');
  } catch {
    return '';
  }
}
