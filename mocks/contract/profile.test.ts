import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadProfile } from './profile.ts';

const HEAD = 'overlay: 1.0.0\ninfo: { title: Mine, version: 1.0.0 }\n';
const RECORDS = { list: '/ods_data', schema: 'MitigationRequest' };
const SOUND = `${HEAD}actions:\n  - { target: $.info, update: { summary: Mine } }\n`;

function fileWith(text: string, name = 'mine.overlay.yaml'): string {
  const folder = mkdtempSync(join(tmpdir(), 'mrs-profiles-'));
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

for (const [what, text, sentence] of [
  ['no YAML', 'a: [', /is not valid YAML: .* line 1/],
  ['no overlay', 'openapi: 3.1.0', /is not a valid overlay: /],
  ['an overlay of another version', SOUND.replace('1.0.0', '2.0.0'), /\/overlay must match/],
  ['an action that does nothing', `${HEAD}actions: [{ target: $.info }]`, /has no "/],
  [
    'a mistyped member',
    `${SOUND}acitons: []`,
    /has "acitons", which has no meaning there\. The nearest is "actions"/,
  ],
  ['an action that meets nothing', SOUND.replace('$.info', '$.infos'), /its action 1 changes nothing/],
  [
    'more aliases than are followed',
    `${SOUND}x-a: &a [1,1,1,1,1,1,1,1,1]\nx-b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nx-c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nx-d: [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n`,
    /cannot be read: Excessive alias count/,
  ],
  ['what it builds on itself', `${SOUND}x-builds-on: ./mine.overlay.yaml\n`, /builds on itself/],
  [
    'one clause that is not offered',
    `${SOUND}x-not-offered: [MRS-7a]\n`,
    /x-not-offered must be|x-not-offered/,
  ],
] as [string, string, RegExp][])
  test(`a file with ${what} is refused`, async () => {
    await expect(loadProfile(fileWith(text))).rejects.toThrow(sentence);
  });

for (const [what, update, sentence] of [
  ['text', 'here', /must be an object/],
  [
    'a list that is no pointer',
    { list: 'ods_data' },
    /list is "ods_data"\. Use a JSON pointer, such as \/ods_data/,
  ],
  ['an unknown schema', { schema: 'Nothing' }, /schema is "Nothing"\. Use /],
  ['a site without a place', { sites: [{ id: 'x' }] }, /sites\/0 has no "latDeg"/],
  ['names that are no list', { legacyFields: 5 }, /legacyFields must be a list/],
  ['versions that are no texts', { versions: [1] }, /versions\/0 must be a text/],
  ['a predecessor without a list', { legacy: {} }, /legacy has no "required"/],
] as [string, object | string, RegExp][])
  test(`a profile whose x-records has ${what} is refused`, async () => {
    const records = typeof update === 'string' ? update : { ...RECORDS, ...update };
    const target = "$['x-records']";
    const actions = [
      { target, remove: true },
      { target: '$', update: { 'x-records': records } },
    ];
    const text = `${HEAD}x-builds-on: ods-record\nactions: ${JSON.stringify(actions)}\n`;
    await expect(loadProfile(fileWith(text))).rejects.toThrow(sentence);
  });

test('a target that is not a JSONPath is refused in one sentence', async () => {
  const { error } = console;
  const printed: unknown[] = [];
  console.error = (text) => void printed.push(text);
  const loading = loadProfile(fileWith(SOUND.replace('$.info', '"$.info["')));
  await expect(loading).rejects.toThrow(/at \$\.info\[, .* or the target is not a JSONPath/);
  console.error = error;
  expect(printed).toEqual([]);
});

test('an unknown name is answered with the nearest one, and a missing file is named', async () => {
  await expect(loadProfile('nrao')).rejects.toThrow('There is no profile "nrao". The nearest is "nrao-ods"');
  await expect(loadProfile('./none.yaml')).rejects.toThrow('./none.yaml cannot be read: ENOENT');
});
