/** A proxy in process, services that speak in bytes, and clients that do. */
import { createServer, type RequestListener } from 'node:http';
import { connect, createServer as createPlainServer, type Socket } from 'node:net';
import { listening } from '../../../tests/support/testing/listening.ts';
import { createProxyServer, type Forwarded } from '../forward.ts';

/** An exchange with the copy of the body of its answer. */
interface Passed extends Omit<Forwarded, 'answer'> {
  answer?: { status: number; content: Buffer | undefined };
}

export interface Proxied extends AsyncDisposable {
  port: number;
  url: string;
  /** What has passed. */
  passed: Passed[];
  /** Resolves when this number of exchanges is over. */
  over(count: number): Promise<Passed[]>;
}

/** A proxy in front of `target`, a base URL. */
export async function startProxied(
  target: string,
  more: Partial<Parameters<typeof createProxyServer>[0]> = {},
): Promise<Proxied> {
  const passed: Passed[] = [];
  let wake = () => {};
  const onPassed = ({ answer, ...one }: Forwarded) => {
    passed.push({
      ...one,
      ...(answer && { answer: { status: answer.status, content: answer.body.content() } }),
    });
    one.body.drop();
    answer?.body.drop();
    wake();
  };
  const server = createProxyServer({ target, ...more, onPassed });
  return {
    ...(await listening(server)),
    passed,
    async over(count) {
      while (passed.length < count)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      return passed;
    },
  };
}

export interface Running extends AsyncDisposable {
  url: string;
}

/** A service that gets each connection as it is. */
export async function startRaw(onConnection: (socket: Socket) => void): Promise<Running> {
  const sockets = new Set<Socket>();
  const server = createPlainServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    onConnection(socket);
  });
  const running = await listening(server);
  return {
    ...running,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await running[Symbol.asyncDispose]();
    },
  };
}

export interface Answering extends Running {
  /** The first connection, once it was answered. */
  answered: Promise<Socket>;
}

/** A service that answers each head with these bytes. */
export async function answering(bytes: string): Promise<Answering> {
  let resolveAnswered = (_: Socket) => {};
  const answered = new Promise<Socket>((resolve) => {
    resolveAnswered = resolve;
  });
  const running = await startRaw((socket) =>
    onHead(socket, () => {
      socket.write(bytes, 'latin1');
      resolveAnswered(socket);
    }),
  );
  return { ...running, answered };
}

/** Calls `then` with the text of each head. */
export function onHead(socket: Socket, then: (head: string) => void): void {
  let text = '';
  socket.setEncoding('latin1').on('data', (more: string) => {
    text += more;
    const end = text.indexOf('\r\n\r\n');
    if (end === -1) return;
    const head = text.slice(0, end);
    text = text.slice(end + 4);
    then(head);
  });
}

export const startWeb = (listener: RequestListener): Promise<Running> => listening(createServer(listener));

export interface Talk {
  /** Everything that came. */
  text: string;
  /** The code of the error by which the connection ended; absent where it ended in order. */
  error?: string;
}

/** Sends the bytes, and resolves when the connection has ended. */
export function talk(port: number, bytes: string): Promise<Talk> {
  const { socket, ended } = open(port);
  socket.write(bytes, 'latin1');
  return ended;
}

/** A connection to the proxy; `until` resolves once what came contains the text. */
export function open(port: number): {
  socket: Socket;
  ended: Promise<Talk>;
  until(text: string): Promise<string>;
} {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  let error: string | undefined;
  const ended = new Promise<Talk>((resolve) => {
    socket
      .setEncoding('latin1')
      .on('data', (more: string) => {
        text += more;
        socket.emit('more');
      })
      .on('error', (problem: NodeJS.ErrnoException) => {
        error = problem.code ?? problem.message;
      })
      .on('close', () => {
        resolve({ text, ...(error !== undefined && { error }) });
        socket.emit('more');
      });
  });
  return {
    socket,
    ended,
    async until(wanted) {
      while (!text.includes(wanted)) {
        if (socket.destroyed) throw new Error(`The connection ended before "${wanted}" came: ${text}`);
        await new Promise<void>((resolve) => socket.once('more', resolve));
      }
      return text;
    },
  };
}

/** Of an HTTP message, what follows its head. */
export const bodyOf = (text: string): string => text.slice(text.indexOf('\r\n\r\n') + 4);
export const headOf = (text: string): string => text.slice(0, text.indexOf('\r\n\r\n'));
