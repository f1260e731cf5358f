import { expect, _baseTest as test } from '@playwright/test';
import { testRenderings } from '../../../tests/report/testing/renderings.ts';
import { clientAnchor, modelOf } from './model.ts';
import { renderReport } from './terminal.ts';
import { broken, CHOSEN, SAMPLES } from './testing/sample-traffic.ts';

testRenderings({ samples: SAMPLES, victim: broken, chosen: CHOSEN, modelOf, terminalOf: renderReport });

/** The text without line breaks and the spaces around them. */
const lineOf = (text: string): string => text.replace(/\s+/g, ' ');

test('terminal names the entry and the time of what violates a requirement', () => {
  const text = lineOf(renderReport(broken, { color: false }));
  expect(text).toContain('Calls 2 of 2 violate it: entries 43 at 170 s and 44 at 171 s');
});

test('terminal names the entries and the times of a finding about a client', () => {
  const text = lineOf(renderReport(broken, { color: false }));
  expect(text).toMatch(/· other station: 6 tokens .* \(entries 51 at 6 s, 53 at 11 s, 55 at 16 s and more\)/);
});

test('two clients whose ids differ only in special characters have different anchors', () => {
  expect(clientAnchor('a/b')).not.toBe(clientAnchor('a b'));
  expect(clientAnchor('station-7')).toBe('client-station-7');
});
