import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, _baseTest as test } from '@playwright/test';
import { createRandom } from '../state/random.ts';
import { readMultipartFile } from './multipart.ts';

const LIMIT = { bytes: 1000 };
const TYPE = 'multipart/form-data; boundary=x';
const NO_FORM = { problem: 'The body is not a multipart/form-data form. Send the file in such a form.' };

const part = (text: string, { field = 'file', name = '; filename="a.txt"', type = 'text/plain' } = {}) =>
  `--x\r\ncontent-disposition: form-data; name="${field}"${name}\r\ncontent-type: ${type}\r\n\r\n${text}\r\n`;
const END = '--x--\r\n';

function arriving(contentType = TYPE) {
  const stream = new PassThrough();
  const request = Object.assign(stream, { headers: { 'content-type': contentType } });
  return { stream, request: request as unknown as IncomingMessage };
}

function reading(body: string | Uint8Array, contentType = TYPE) {
  const { stream, request } = arriving(contentType);
  stream.end(body);
  return readMultipartFile(request, LIMIT);
}

test('the file of a form is read, with its name and type', async () => {
  const text = 'two lines\r\n--y\r\n';
  expect(await reading(`before\r\n${part(text)}${END}after`)).toEqual({
    field: 'file',
    name: 'a.txt',
    mediaType: 'text/plain',
    bytes: Buffer.from(text),
  });
});

test('the form may arrive in pieces, with other fields next to the file', async () => {
  const { stream, request } = arriving('Multipart/Form-Data; Boundary="x"');
  const read = readMultipartFile(request, LIMIT);
  for (const one of part('why', { field: 'note', name: '' }) + part('abc') + END) stream.write(one);
  stream.end();
  expect(await read).toMatchObject({ field: 'file', bytes: Buffer.from('abc') });
});

test('a path before the name of the file is left out', async () => {
  for (const path of ['../../etc/a.txt', 'C:\\\\temp\\\\a.txt', '/a.txt'])
    expect(await reading(part('abc', { name: `; filename="${path}"` }) + END)).toMatchObject({
      name: 'a.txt',
    });
});

for (const [what, body, contentType, problem] of [
  ['another type', part('abc') + END, 'text/plain', NO_FORM.problem],
  ['no boundary', part('abc') + END, 'multipart/form-data', NO_FORM.problem],
  ['a boundary of another name', part('abc') + END, 'multipart/form-data; bound=x', NO_FORM.problem],
  ['an empty boundary', part('abc') + END, 'multipart/form-data; boundary=', NO_FORM.problem],
  ['a form that does not end', part('abc'), TYPE, NO_FORM.problem],
  ['a form that ends in a head', '--x\r\ncontent-disposition: form', TYPE, NO_FORM.problem],
  ['another boundary', part('abc') + END, 'multipart/form-data; boundary=y', NO_FORM.problem],
  [
    'no file',
    part('abc', { name: '' }) + END,
    TYPE,
    'The form contains no file. Send one, with a file name.',
  ],
  ['no part', END, TYPE, 'The form contains no file. Send one, with a file name.'],
  ['two files', part('a') + part('b') + END, TYPE, 'The form contains several files. Send only one.'],
] as const)
  test(`${what} is reported in a sentence`, async () => {
    expect(await reading(body, contentType)).toEqual({ problem });
  });

test('a file has to be shorter than the limit, and a form not much longer', async () => {
  expect(await reading(part('a'.repeat(999)) + END)).toMatchObject({ name: 'a.txt' });
  const tooLong = {
    problem: 'The file is too long. Send less than 1000 bytes, in several files if necessary.',
  };
  expect(await reading(part('a'.repeat(1000)) + END)).toEqual(tooLong);
  const { stream, request } = arriving();
  const read = readMultipartFile(request, LIMIT);
  stream.write(part('a'.repeat(20_000)));
  expect(await read).toEqual(tooLong); // before the form has ended
});

test('endless parts and huge heads take neither memory nor the mock', async () => {
  const many = part('', { field: 'n', name: '' }).repeat(190) + part('abc') + END;
  expect(await reading(many)).toEqual({ problem: 'The form contains no file. Send one, with a file name.' });
  const heads = Array.from({ length: 700 }, (_, nth) => `x-${nth}: y`).join('\r\n');
  expect(await reading(`--x\r\n${heads}\r\n${part('abc').slice(5)}${END}`)).toHaveProperty('problem');
  const head = `x: ${'y'.repeat(15_000)}`;
  expect(await reading(`--x\r\n${head}\r\n${part('abc').slice(5)}${END}`)).toHaveProperty('problem');
});

test('reading rejects when the client goes away', async () => {
  const { stream, request } = arriving();
  const read = readMultipartFile(request, LIMIT);
  stream.write(part('abc'));
  stream.destroy(new Error('aborted'));
  await expect(read).rejects.toThrow('aborted');
});

test('whatever a form was broken to, an answer comes', async () => {
  const random = createRandom('forms');
  const whole = Buffer.from(part('why', { field: 'note', name: '' }) + part('abc\r\n') + END);
  const splinters = ['\r\n', '--x', '--x--', '\0', '\r\n\r\n', '"', ';', 'filename', ':', '--', '\xff'];
  for (let nth = 0; nth < 500; nth++) {
    const [at = 0, cut = 0, which = 0, times = 0] = random.bytes(`form ${nth}`);
    const start = Math.floor((at / 256) * whole.length);
    const splinter = (splinters[which % splinters.length] ?? '').repeat(1 + (times % 3));
    const end = start + (cut % 2 ? cut % 40 : 0);
    const broken = Buffer.concat([
      whole.subarray(0, start),
      Buffer.from(splinter, 'latin1'),
      whole.subarray(nth % 5 === 0 ? whole.length : end),
    ]);
    const read = await reading(broken);
    expect('problem' in read || read.bytes.length < 1000, broken.toString('latin1')).toBe(true);
  }
});
