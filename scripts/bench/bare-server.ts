/** The least that a server of Node.js does: it listens at a port, and sends the answers that standard input has. */
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

/** What a bare server sends, by path. */
export type Answers = Record<string, { headers: Record<string, string>; body: string }>;

const answers = new Map(
  Object.entries((await json(process.stdin)) as Answers).map(([path, { headers, body }]) => [
    path,
    { headers, bytes: Buffer.from(body) },
  ]),
);
createServer((request, response) => {
  const answer = answers.get(request.url ?? '');
  if (answer) response.writeHead(200, answer.headers).end(answer.bytes);
  else response.writeHead(404).end();
}).listen(Number(process.argv[2]), '127.0.0.1');
