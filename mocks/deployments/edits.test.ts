import type { IncomingMessage } from 'node:http';
import { expect, _baseTest as test } from '@playwright/test';
import type { Reply } from '../http.ts';
import { body, type Edit, edited, empty, headers, json, noContent, type } from './edits.ts';

const reply: Reply = {
  status: 200,
  headers: { 'Content-type': 'application/json', 'content-length': '9' },
  bytes: Buffer.from('{"a":"é"}'),
};

for (const [what, edit, status, sent, text] of [
  ['edits are made one after the other', [201, json(({ a }) => ({ b: a }))], 201, undefined, '{"b":"é"}'],
  [
    'a header is found whatever its case, and is there once',
    type('text/html'),
    200,
    { 'content-type': 'text/html', 'content-length': '9' },
  ],
  ['a header is removed', type(), 200, { 'content-length': '9' }],
  [
    'a header is added',
    headers({ allow: 'GET' }),
    200,
    { allow: 'GET', 'content-type': 'application/json', 'content-length': '9' },
  ],
  [
    'the length is that of the changed body, in bytes',
    body('é'),
    200,
    { 'content-type': 'application/json', 'content-length': '2' },
    'é',
  ],
  ['an empty body has no type', empty, 200, { 'content-length': '0' }, ''],
  ['an answer with 204 has neither length nor type', noContent, 204, {}, ''],
] satisfies [string, Edit, number, (Reply['headers'] | undefined)?, string?][])
  test(what, async () => {
    const before = structuredClone({ ...reply, bytes: String(reply.bytes) });
    const moment = { nth: 1, request: {} as IncomingMessage, client: undefined, nowMs: 0 };
    const changed = await edited(reply, edit, moment);
    expect(changed.status).toBe(status);
    if (sent) expect(changed.headers).toStrictEqual(sent);
    if (text !== undefined) expect(String(changed.bytes)).toBe(text);
    expect({ ...reply, bytes: String(reply.bytes) }).toEqual(before);
  });
