/** A balancer: hands each request to the next replica, and to the one after it where that has gone. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface Balancer extends AsyncDisposable {
  url: string;
}

export async function startRoundRobin(ports: readonly number[]): Promise<Balancer> {
  let next = 0;
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    for (const _ of ports) {
      const answer = await forward(request, body, ports[next++ % ports.length]);
      if (!answer) continue;
      response.writeHead(answer.status, answer.headers).end(answer.body);
      return;
    }
    response.writeHead(502).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

interface Forwarded {
  status: number;
  /** Names and values in turn, as they were sent. */
  headers: string[];
  body: Buffer;
}

/** Undefined if the replica does not answer to the end. */
async function forward(
  { method, url, rawHeaders }: IncomingMessage,
  body: Buffer,
  port: number | undefined,
): Promise<Forwarded | undefined> {
  try {
    const request = send({ host: '127.0.0.1', port, method, path: url, headers: rawHeaders, agent: false });
    request.end(body);
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    return { status: answer.statusCode ?? 0, headers: answer.rawHeaders, body: await buffer(answer) };
  } catch {
    return undefined;
  }
}
