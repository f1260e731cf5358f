/** The least that Node.js can do: a proxy to the origin that it is given, or else a server with one answer to everything. */
import { Agent, createServer, request as requestOver } from 'node:http';
import { json } from 'node:stream/consumers';
import type { Answer } from './server.ts';

const [, , port, target] = process.argv;
const server = target === undefined ? answering((await json(process.stdin)) as Answer) : forwarding(target);
server.listen(Number(port), '127.0.0.1');

function answering({ status, headers, body }: Answer) {
  const bytes = Buffer.from(body);
  return createServer((_, response) => response.writeHead(status, headers).end(bytes));
}

function forwarding(origin: string) {
  const { hostname, port: targetPort } = new URL(origin);
  const agent = new Agent({ keepAlive: true });
  return createServer((request, response) => {
    const { method, url: path, headers } = request;
    const sent = requestOver({ agent, hostname, port: targetPort, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    sent.on('error', () => response.destroy());
    request.pipe(sent);
  });
}
