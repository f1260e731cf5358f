import { expect, _baseTest as test } from '@playwright/test';
import { usesColor } from './color.ts';

const terminal = { isTTY: true };

test('a terminal has colours, and nothing else has', () => {
  expect(usesColor(terminal, {})).toBe(true);
  expect(usesColor({}, {})).toBe(false);
});

test('NO_COLOR takes them away', () => {
  expect(usesColor(terminal, { NO_COLOR: '1' })).toBe(false);
  expect(usesColor(terminal, { NO_COLOR: '' })).toBe(true);
});

test('FORCE_COLOR decides before NO_COLOR and before the stream', () => {
  expect(usesColor({}, { FORCE_COLOR: '1', NO_COLOR: '1' })).toBe(true);
  expect(usesColor(terminal, { FORCE_COLOR: '0' })).toBe(false);
});
