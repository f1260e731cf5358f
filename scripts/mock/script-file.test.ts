/** Scripts from a file, and the examples that mocks/README.md has of them. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { outputPath } from '../../tests/support/testing/output-path.ts';
import { type Step, startMock } from './index.ts';
import { withScripts } from './script-file.ts';

function read(text: string) {
  mkdirSync(outputPath(), { recursive: true });
  writeFileSync(outputPath('steps.yaml'), text);
  return withScripts(outputPath('steps.yaml'));
}

for (const text of ['demo: [{nth: 2, do: {reset: true}}]', '{"demo": [{"nth": 2, "do": {"reset": true}}]}'])
  test(`the script ${text} belongs to its client, also after a reset`, async () => {
    await using mock = await startMock({ clients: read(text), controlKey: 'key' });
    mock.client('demo').script([]);
    mock.reset();
    const answer = await fetch(`${mock.url}/__mock/clients/demo`, {
      headers: { authorization: 'Bearer key' },
    });
    expect(await answer.json()).toMatchObject({ script: [{ nth: 2, do: { reset: true } }] });
  });

for (const [what, text, sentence] of [
  ['text', 'demo', /, line 1: This is no object\. It holds the steps by client id/],
  ['a list of steps', '- do: {reset: true}', /, line 1: This is no object/],
  ['half a file', '{"demo": [', /, line 1: This is neither JSON nor YAML/],
  [
    'an unknown client',
    '\ndmo:\n  []',
    /, line 2: There is no client "dmo"\. The nearest is "demo"\. Add it with --client/,
  ],
  ['no steps', 'demo: 5', /, line 1: The script of "demo" is invalid\. It must be a list\.$/],
  [
    ...['a mistyped action', 'demo:\n  - do: {reset: true}\n  - do: {expier: token}'],
    /, line 3: The script of "demo" is invalid\. Step 2: do has "expier", .* The nearest is "expire"\.$/,
  ],
  [
    'an unknown example',
    'demo: [{do: {answer: {status: 403, example: x}}}]',
    /Step 1: the contract has no example "x"/,
  ],
] as [string, string, RegExp][])
  test(`${what} in the file is refused with its line`, () => {
    expect(() => read(text)).toThrow(sentence);
  });

const readme = readFileSync(new URL('../../mocks/README.md', import.meta.url), 'utf8');
const rows = [...readme.matchAll(/^\| (?:with )?`(\w+)` \| .* \| `(\{.*\})` \|$/gm)];

test('mocks/README.md has each action, with an example that is a valid step', async () => {
  const names = ['expire', 'revoke', 'expireOthers', 'answer', 'delay', 'cut', 'reset', 'above', 'reused'];
  expect(rows.map(([, name]) => name)).toEqual(names);
  await using mock = await startMock();
  for (const [, name = '', example = ''] of rows) {
    const step = JSON.parse(example) as Step;
    expect({ ...step, ...step.do }).toHaveProperty(name);
    mock.client('demo').script([step]);
  }
});

test('the file that mocks/README.md shows is valid', () => {
  const [, text = ''] = /`mrs mock --script steps\.yaml`.*\n\n```yaml\n([^`]*)```/.exec(readme) ?? [];
  expect(read(text)[0]?.script).toHaveLength(2);
});
