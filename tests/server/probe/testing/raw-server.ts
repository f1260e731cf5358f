/** Raw servers of 127.0.0.1, for answers that no library would send. */
import { createServer, type Socket } from 'node:net';
import { listening } from '../../../support/testing/listening.ts';
import { createHttp, type HttpLimits } from '../http.ts';

export const limits: HttpLimits = { deadlineSeconds: 5, bodyBytes: 1024 * 1024, headBytes: 16 * 1024 };

/** Answers one chunk of a request. */
export type Talk = (socket: Socket, request: string) => void;

export function head(coding: string): Buffer {
  return Buffer.from(`HTTP/1.1 200 OK\r\ncontent-encoding: ${coding}\r\nconnection: close\r\n\r\n`);
}

/** Sends `parts`, and closes where they say that they end with the connection. */
export function says(...parts: (string | Buffer)[]): Talk {
  const whole = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return (socket) => (whole.includes('connection: close') ? socket.end(whole) : socket.write(whole));
}

/** Sends `start`, then `drop` every few milliseconds for as long as the connection is open. */
export function dripping(start: string | Buffer, drop: string): Talk {
  return (socket) => {
    socket.write(start);
    const tap = setInterval(() => socket.write(drop), 10);
    socket.on('close', () => clearInterval(tap));
  };
}

/** Sends `start`, then `more` as fast as it is taken. */
export function endless(start: string | Buffer, more: Buffer): Talk {
  return (socket) => {
    const pour = () => {
      while (socket.writable && socket.write(more));
    };
    socket.on('drain', pour);
    socket.write(start);
    pour();
  };
}

/**
 * A peer on a free port that deals with each request by `talk`. Its disposal waits until the other side has let go
 * of every connection: where `close()` leaves one open, the test does not end.
 */
export async function listen(talk: Talk) {
  const requests: string[] = [];
  const clients: { close(): void }[] = [];
  let connections = 0;
  const peer = createServer((socket) => {
    connections++;
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      requests.push(chunk.toString());
      talk(socket, chunk.toString());
    });
  });
  const server = await listening(peer);
  const { url } = server;
  const http = (within: HttpLimits = limits) => {
    const client = createHttp(within);
    clients.push(client);
    return client;
  };
  return {
    url,
    requests,
    connections: () => connections,
    http,
    get: (within?: HttpLimits) => http(within).exchange({ method: 'GET', url, headers: {} }),
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.close();
      await server[Symbol.asyncDispose]();
    },
  };
}
