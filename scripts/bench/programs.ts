/** The programs that the benchmark compares with, each of which it runs in a process of its own. */
import { Agent, createServer, request as requestOver } from 'node:http';
import { json } from 'node:stream/consumers';

/** What a bare server sends, by path. */
export type Answers = Record<string, { headers: Record<string, string>; body: string }>;

const [name, port, target] = process.argv.slice(2);
const listener = name === 'serve' ? await serve() : forward();
listener.listen(Number(port), '127.0.0.1');

/** The least that a server of Node.js does: the answers are given on standard input. */
async function serve() {
  const given = (await json(process.stdin)) as Answers;
  const answers = new Map(
    Object.entries(given).map(([path, { headers, body }]) => [path, { headers, bytes: Buffer.from(body) }]),
  );
  return createServer((request, response) => {
    const answer = answers.get(request.url ?? '');
    if (answer) response.writeHead(200, answer.headers).end(answer.bytes);
    else response.writeHead(404).end();
  });
}

/** The least that a proxy of Node.js does. */
function forward() {
  const agent = new Agent({ keepAlive: true });
  return createServer((request, response) => {
    const { method, headers } = request;
    const sent = requestOver(`${target}${request.url}`, { agent, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    sent.on('error', () => response.destroy());
    request.pipe(sent);
  });
}
