/** A client that is made of exchangeable parts. It talks by node:http, which adds no header that a request does not name. */
import { once } from 'node:events';
import * as http from 'node:http';
import { text } from 'node:stream/consumers';
import { type Clock, realClock } from '../../support/clock.ts';

export interface Outgoing {
  method: 'GET' | 'HEAD' | 'POST';
  url: string;
  /** As they shall stand on the wire. */
  headers: Record<string, string>;
  body?: string;
}

export interface Answered {
  status: number;
  /** What `Retry-After` says, in seconds. */
  retryAfterSeconds?: number;
  text: string;
}

export interface ClientEnvironment {
  /** Without a slash at its end. */
  baseUrl: string;
  clientId: string;
  clientSecret: string;
  /** As agreed with the operator. */
  tokenLifetimeSeconds: number;
  /** The pause between two reads of one reader. */
  pollSeconds: number;
  /** What its pauses, its patience and the age of its tokens are measured with; default: real time. */
  clock?: Clock;
}

/** What can be exchanged. */
export interface Parts {
  /** How many run side by side with the same credentials. */
  processes: number;
  /** How many read side by side. */
  readers: number;
  /** In place of what the environment says. */
  pollSeconds?: number;
  /** Before the first read, once. What it does not wait for runs next to the readers. */
  start(client: Client): Promise<void>;
  /** Before each read of a reader. */
  beside(client: Client): Promise<void>;
  tokenRequest(client: Client): Outgoing;
  /** `turn` counts what is to be read, from 1; a turn that is refused is repeated with the same number. */
  dataRequest(client: Client, token: Token, turn: number): Outgoing;
  /** How a request gets there. */
  send(client: Client, request: Outgoing): Promise<Answered>;
  /** With which token to read. */
  choose(client: Client): Promise<Token>;
  /** A read was answered with 403: whether the data were had in the end. */
  refused(client: Client, token: Token, turn: number, answer: Answered): Promise<boolean>;
  /** The token endpoint failed for the n-th time in a row; no answer: it could not be reached. Ends when it may be asked again. */
  tokenFailed(client: Client, failures: number, answer: Answered | undefined): Promise<void>;
  /** No answer to a read. */
  unreachable(client: Client, error: unknown): Promise<void>;
}

export interface Token {
  value: string;
  /** When it was asked for, in milliseconds of the client's clock. */
  askedAt: number;
}

/** Thrown by a part to end the client, as a program would with this exit code. */
export class Exit extends Error {
  readonly code: number;

  constructor(code: number, why: string) {
    super(why);
    this.code = code;
  }
}

export interface RunningClient {
  /** When it ended: the exit code, 0 after `stop`. Never rejects. */
  readonly ended: Promise<number>;
  /** Cuts what is under way, and waits until nothing is left of it. May be called again. */
  stop(): Promise<void>;
}

/** What the parts work with. */
export class Client {
  readonly env: ClientEnvironment;
  readonly parts: Parts;
  readonly clock: Clock;
  /** Aborted where nothing is to be sent any more. */
  readonly signal: AbortSignal;
  /** The token that is reused. */
  token: Token | undefined;
  /** How many token requests were begun. */
  asked = 0;
  /** How many reads were begun, repetitions among them. */
  reads = 0;
  /** What a reader does next. */
  turns = 0;
  readonly #stopped = new AbortController();
  readonly #agent = new http.Agent({ keepAlive: true });
  #asking: Promise<Token> | undefined;

  constructor(env: ClientEnvironment, parts: Parts) {
    this.env = env;
    this.parts = parts;
    this.clock = env.clock ?? realClock;
    this.signal = this.#stopped.signal;
    this.signal.addEventListener('abort', () => this.#agent.destroy());
  }

  /** Seconds. Rejects once the client is stopped. */
  async pause(seconds: number): Promise<void> {
    await this.clock.sleep(1000 * seconds, this.signal);
  }

  send(request: Outgoing): Promise<Answered> {
    return this.parts.send(this, request);
  }

  /** Over a connection that stays open. */
  exchange({ method, url, headers, body }: Outgoing): Promise<Answered> {
    const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
    return withPatience(this.clock, PATIENCE_MS, this.signal, async (signal) => {
      const options = { method, headers: { ...headers, ...length }, agent: this.#agent, signal };
      const sent = http.request(url, options).on('error', () => {}); // it is one of the answer, too
      sent.end(body);
      const [answer] = (await once(sent, 'response')) as [http.IncomingMessage];
      const seconds = Number(answer.headers['retry-after'] ?? Number.NaN);
      return {
        status: answer.statusCode ?? 0,
        ...(seconds >= 0 && { retryAfterSeconds: seconds }),
        text: await text(answer),
      };
    });
  }

  /** Asks until there is a token; does not keep it. */
  async ask(): Promise<Token> {
    for (let failures = 1; ; failures++) {
      const askedAt = this.clock.now();
      this.asked++;
      const answer = await this.send(this.parts.tokenRequest(this)).catch(() => undefined);
      this.signal.throwIfAborted();
      if (answer?.status === 200) return { value: JSON.parse(answer.text).token, askedAt };
      await this.parts.tokenFailed(this, failures, answer);
    }
  }

  /** A token that is not `old`, and kept from now on. Who comes while it is asked for waits for the same. */
  async renew(old = this.token): Promise<Token> {
    if (this.token && this.token !== old) return this.token;
    this.#asking ??= this.replace().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  /** A token of the caller's own, and kept from now on. */
  async replace(): Promise<Token> {
    this.token = await this.ask();
    return this.token;
  }

  async read(token: Token, turn: number): Promise<Answered> {
    this.reads++;
    return this.send(this.parts.dataRequest(this, token, turn));
  }

  /** Whether the data were had with this token. */
  async reread(token: Token, turn: number): Promise<boolean> {
    return (await this.read(token, turn)).status === 200;
  }

  /** Until it is stopped, or a part ends it: the exit code. */
  async run(): Promise<number> {
    let code = 0;
    const orEnd = (error: unknown) => {
      if (!this.signal.aborted) code = error instanceof Exit ? error.code : 1;
      this.end();
    };
    await this.parts.start(this).catch(orEnd);
    await Promise.all(Array.from({ length: this.parts.readers }, () => this.#reader().catch(orEnd)));
    return code;
  }

  end(): void {
    this.#stopped.abort();
  }

  async #reader(): Promise<void> {
    this.signal.throwIfAborted();
    const poll = this.parts.pollSeconds ?? this.env.pollSeconds;
    for (let pause = poll; ; await this.pause(pause)) {
      await this.parts.beside(this);
      pause = (await this.turn()) ? poll : Math.min(2 * pause, 60);
    }
  }

  /** Whether the data were had. */
  async turn(): Promise<boolean> {
    const turn = ++this.turns;
    try {
      const token = await this.parts.choose(this);
      const answer = await this.read(token, turn);
      if (answer.status === 403) return await this.parts.refused(this, token, turn, answer);
      if (answer.status !== 200) return false;
      JSON.parse(answer.text);
      return true;
    } catch (error) {
      if (error instanceof Exit || this.signal.aborted) throw error;
      await this.parts.unreachable(this, error);
      return false;
    }
  }
}

/** A token request may take its time. */
const PATIENCE_MS = 10_000;

/** Of an answer that takes too long. */
export const TOO_LATE = 'no answer in time';

/** Of a wait that is over; the default reason would take the time to note the stack. */
const DONE = 'done';

/** Aborts what it does when `signal` is aborted, or when it has taken too long. */
export async function withPatience<Result>(
  clock: Clock,
  milliseconds: number,
  signal: AbortSignal,
  act: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const [late, done] = [new AbortController(), new AbortController()];
  clock.sleep(milliseconds, done.signal).then(
    () => late.abort(new Error(TOO_LATE)),
    () => {}, // it was done
  );
  const given = AbortSignal.any([signal, late.signal]);
  try {
    return await (clock.during?.(() => act(given)) ?? act(given));
  } finally {
    done.abort(DONE);
  }
}
