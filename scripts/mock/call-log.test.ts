import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { callEvent, callLine } from './call-log.ts';
import type { Entry } from './index.ts';

const entry: Entry = {
  seq: 7,
  at: '2030-01-01T12:00:10.400Z',
  wallAt: '2026-01-01T00:00:00.000Z',
  durationMs: 1,
  client: 'demo',
  operation: 'readData',
  method: 'GET',
  path: '/ods_data/',
  query: [],
  status: 403,
  reason: 'expired',
  token: { name: 'demo#1', status: 'expired', ageSeconds: 901, remainingSeconds: -1 },
  request: {},
  response: { bytes: 20 },
};

test('a call is a line with its time, client, request, status, reason and token', () => {
  expect(callLine(entry, false)).toBe('12:00:10.400  demo      GET /ods_data/   403 expired  demo#1');
});

test('mocks/README.md shows lines as they are printed', () => {
  const readme = readFileSync(new URL('../../mocks/README.md', import.meta.url), 'utf8');
  const calls: Partial<Entry>[] = [
    { at: '2030-01-01T12:00:09.871Z', method: 'POST', path: '/token/', status: 200, reason: 'issued' },
    { at: '2030-01-01T12:00:10.400Z', status: 200, reason: 'served' },
    { at: '2030-01-01T12:15:10.102Z' },
  ];
  expect(readme).toContain(`\n${calls.map((call) => callLine({ ...entry, ...call }, false)).join('\n')}\n`);
});

test('a call that was cut off says so, and one without client and token has none', () => {
  const { client: _, token: __, ...rest } = entry;
  const cut: Entry = { ...rest, status: 200, reason: 'served', ended: 'cut' };
  expect(callLine(cut, false)).toBe('12:00:10.400  -         GET /ods_data/   200 served, cut');
});

test('a call with a client id that no client has names the nearest', () => {
  const { client: _, token: __, ...rest } = entry;
  const refused: Entry = { ...rest, status: 401, reason: 'wrong-credentials', nearest: 'demo-steady' };
  expect(callLine(refused, false)).toMatch(/401 wrong-credentials {2}nearest client id: demo-steady$/);
});

test('a line is coloured by its status', () => {
  const shown = (status: number) => callLine({ ...entry, status }, true);
  expect(shown(200)).toContain('\u001b[32m200');
  expect(shown(403)).toContain('\u001b[33m403');
  expect(shown(500)).toContain('\u001b[31m500');
});

test('a hostile path stays in its line, and in 80 columns', () => {
  const line = callLine({ ...entry, path: `/\u001b[2J\n${'x'.repeat(500)}` }, false);
  expect(line).toContain('GET /\\u{001b}[2J\\nxxx');
  expect(line.length).toBeLessThanOrEqual(80);
});

for (const mark of ['##[', '##vso['])
  test(`a path with ${mark} makes no command of a CI log`, () => {
    expect(callLine({ ...entry, path: `/${mark}error]x` }, false)).toContain(
      `GET /${mark.replace('##', '# #')}error]x`,
    );
  });

test('a program reads the whole entry', () => {
  expect(JSON.parse(callEvent(entry))).toEqual({ event: 'call', ...entry });
});
