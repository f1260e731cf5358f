import { expect, _baseTest as test } from '@playwright/test';
import { recordOf } from '../probe/api.ts';
import { createDescriber } from './record-answer.ts';

const recorded = (body: unknown) =>
  recordOf(
    { status: 200, headers: [['content-type', 'application/json']], body: Buffer.from(JSON.stringify(body)) },
    () => ({}),
    { excerpt: (text, characters) => text.slice(0, characters) },
  );

for (const [what, body] of [
  ['records', { ods_data: [{ id: 1 }, { id: 2 }] }],
  ['no records', { ods_data: [] }],
  ['a text', 'none'],
] as const)
  test(`a description of ${what} has what the record of the answer has, but for the headers`, () => {
    const { headers: _, ...rest } = recorded(body);
    const description = createDescriber()(recorded(body));
    expect(JSON.parse(JSON.stringify(description))).toEqual(JSON.parse(JSON.stringify(rest)));
  });

test('descriptions of bodies with the same members share their names', () => {
  const describe = createDescriber();
  const [one, other] = [1, 2].map((id) => describe(recorded({ ods_data: [{ id }] })).json);
  expect(one?.wellFormed && one.recordFields).toEqual(['id']);
  expect(other?.wellFormed && other.recordFields).toBe(one?.wellFormed && one.recordFields);
});
