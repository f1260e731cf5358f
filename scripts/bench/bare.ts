/** The least that Node.js can do: a server that has one answer to everything. It reads the answer as JSON. */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Answer } from './answer.ts';

const { status, headers, body }: Answer = JSON.parse(await text(process.stdin));
const bytes = Buffer.from(body);
createServer((_, response) => response.writeHead(status, headers).end(bytes)).listen(
  Number(process.argv[2]),
  '127.0.0.1',
);
