/** The control API below /__mock, which control.openapi.yaml describes. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { visit } from 'jsonc-parser';
import type { ClientExaminer } from './api.ts';
import { readBearer } from './condition.ts';
import type { Contract } from './contract/contract.ts';
import { isNumber, loadControlContract } from './contract/control-contract.ts';
import type { Filter } from './contract/control-types.ts';
import { MockError } from './contract/mock-error.ts';
import { pageRoutes } from './control/page.ts';
import type { Exchange } from './exchange.ts';
import { failure, jsonReply, type Reply, readBody } from './http.ts';
import { entryOf, harOf } from './journal.ts';
import { type ControlRoute, createOperations, type OperationId, Refusal } from './operations.ts';
import type { State } from './state.ts';

export interface ControlParts {
  contract: Contract;
  state: State;
  key: string;
  /** The address that the mock listens on. */
  host: string;
  basePath: string;
  /** Undefined if nothing judges clients. */
  examiner?: ClientExaminer | undefined;
}

/** Answers a request below /__mock; undefined if the route writes the response itself. */
export type Control = (request: IncomingMessage, response: ServerResponse) => Promise<Reply | undefined>;

const BODY_BYTES = 1024 * 1024;

export const isControl = (target = ''): boolean => target === '/__mock' || target.startsWith('/__mock/');

export function createControl(parts: ControlParts): Control {
  const digest = sha256(parts.key);
  const { check, ...operations } = createOperations(parts.state, parts.examiner);
  const stream = createStream(parts.state);
  const answers: Omit<Record<OperationId, ControlRoute['answer']>, 'readContract' | 'listScenarios'> = {
    controlHealth: () => jsonReply({ status: 'ok', version: loadControlContract().version }),
    readClock: () => jsonReply(operations.readClock()),
    moveClock: ({ body }) => jsonReply(operations.moveClock(body)),
    listClients: () => jsonReply({ clients: operations.listClients() }),
    readClient: ({ name }) => jsonReply(operations.readClient(name)),
    putClient({ name, body }) {
      const { isNew, client } = operations.putClient(name, body);
      return jsonReply(client, isNew ? 201 : 200);
    },
    removeClient: ({ name }) => noContent(operations.removeClient(name)),
    readScript: ({ name }) => jsonReply({ script: operations.readScript(name) }),
    putScript: ({ name, body }) => jsonReply({ script: operations.putScript(name, body) }),
    removeScript: ({ name }) => noContent(operations.removeScript(name)),
    expireTokens: ({ body }) => jsonReply({ ended: operations.expireTokens(body) }),
    readJournal({ query: { format, ...filter }, request }) {
      const found = operations.readJournal(filter);
      if (format === 'har')
        return jsonReply(harOf(found, `http://${request.headers.host}`, loadControlContract().version));
      return jsonReply({
        lost: parts.state.journal.lost((filter as Filter).since),
        entries: found.map(entryOf),
      });
    },
    clearJournal: () => noContent(operations.clearJournal()),
    verifyCalls: ({ body }) => jsonReply(operations.verifyCalls(body)),
    async certifyClient({ query: { client, processes = 1 } }) {
      if (client === undefined) throw badRequest('Name the client, as in ?client=demo.');
      return jsonReply(await operations.certifyClient(String(client), Number(processes)));
    },
    listen: stream,
    reset: () => noContent(operations.reset()),
  };
  const routes = loadControlContract().operations.flatMap(({ id, ...described }): ControlRoute[] => {
    if (id === 'readContract' || id === 'listScenarios') return []; // They are of the page.
    return [{ ...described, id, answer: answers[id] }];
  });
  const table = [...routes, ...pageRoutes(parts)].map((route) => ({ route, pattern: patternOf(route.path) }));

  return async (request, response) => {
    const foreign = foreignRequestProblem(request.headers, parts.host);
    if (foreign) return failure(403, 'forbidden', foreign);
    const [path = '', query = ''] = (request.url ?? '').split(/\?(.*)/s);
    const here = table.filter(({ pattern }) => pattern.test(path));
    const found = here.find(({ route }) => route.method === request.method);
    // Node.js keeps the first of several, and what is in front of the mock may have looked at another.
    const repeated = ['host', 'authorization'].find(
      (name) => (request.headersDistinct[name]?.length ?? 0) > 1,
    );
    if (found && repeated)
      return failure(400, 'invalid_request', `The request has several headers ${repeated}. Send one.`);
    if (!found?.route.open && !isAuthorized(request)) return keyMissing();
    if (here.length === 0)
      return failure(404, 'not_found', `The control API has nothing at ${path.slice(0, 100)}.`);
    if (!found) {
      const allow = here.map(({ route }) => route.method).join(', ');
      const sentence = `${path.slice(0, 100)} does not support ${request.method}. Use ${allow}.`;
      return failure(405, 'method_not_allowed', sentence, { allow });
    }
    const { takes, answer, id, oneReplica } = found.route;
    try {
      if (id || oneReplica) check(id ?? 'listClients');
      const name = nameIn(found.pattern.exec(path)?.[1]);
      const body = takes ? await bodyOf(request, takes) : undefined;
      const asked = { request, response, name, query: queryOf(found.route, query), body: body as never };
      return await answer(asked);
    } catch (error) {
      if (!(error instanceof MockError || error instanceof RangeError)) throw error;
      const { message } = error;
      if (!(error instanceof Refusal))
        return failure(400, 'invalid_request', `Nothing was changed. ${message}`);
      const sentence = `Nothing was changed: ${message[0]?.toLowerCase()}${message.slice(1)}`;
      return failure(error.status, error.code, error.isComplete ? message : sentence);
    }
  };

  function isAuthorized({ headers }: IncomingMessage): boolean {
    const bearer = readBearer(headers.authorization);
    return bearer.kind === 'token' && timingSafeEqual(sha256(bearer.token), digest);
  }
}

/** The reply after a change that has no content to show. */
const noContent = (_: unknown): Reply => ({ status: 204, headers: {}, bytes: Buffer.alloc(0) });

const badRequest = (sentence: string) => new Refusal(400, 'invalid_request', sentence);

const keyMissing = () =>
  failure(
    401,
    'unauthorized',
    'The control API requires its key as a bearer token. The mock prints it at its start; MRS_MOCK_CONTROL_KEY sets it.',
    { 'www-authenticate': 'Bearer' },
  );

/** Throws Refusal for a body that does not match the schema. */
async function bodyOf(request: IncomingMessage, schema: string): Promise<unknown> {
  const text = await readBody(request, BODY_BYTES);
  if (text === undefined) throw new Refusal(413, 'invalid_request', 'The body is larger than 1 MiB.');
  const body = parsed(text);
  const fault = loadControlContract().schemaProblem(schema, body) ?? repetition(text);
  if (fault) throw badRequest(`${fault}.`);
  return body;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** JSON.parse keeps the last of several members of one name, and what is in front of the mock may have read the first. */
function repetition(text: string): string | undefined {
  let problem: string | undefined;
  const open: Set<string>[] = [];
  visit(text, {
    onObjectBegin: () => void open.push(new Set()),
    onObjectProperty(name) {
      if (open.at(-1)?.has(name)) problem = `the body has the member "${name.slice(0, 100)}" twice`;
      open.at(-1)?.add(name);
    },
    onObjectEnd: () => void open.pop(),
  });
  return problem;
}

/** Throws Refusal for a query that is not as the contract has it. */
function queryOf({ id, query: parameters }: ControlRoute, text: string): Record<string, string | number> {
  if (!id || !parameters) return {};
  const given = [...new URLSearchParams(text)].map(([name, value]) => {
    const isWhole = isNumber(parameters[name]) && /^\d{1,15}$/.test(value);
    return [name.slice(0, 100), isWhole ? Number(value) : value];
  });
  const query = Object.fromEntries(given);
  const fault = loadControlContract().queryProblem(id, query);
  if (fault) throw badRequest(`${fault}.`);
  return query;
}

/** `{id}` in a path matches one segment. */
const patternOf = (path: string): RegExp => new RegExp(`^${path.replace(/\{\w+\}/, '([^/]+)')}$`);

function nameIn(segment = ''): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * A page of another site must not reach the control API, not even through a name that it resolves to this address.
 * Returns why the request is refused; `listening` is the address that the mock listens on.
 */
function foreignRequestProblem(headers: IncomingHttpHeaders, listening: string): string | undefined {
  const { host = '', origin, 'sec-fetch-site': site } = headers;
  const name = host.replace(/:\d+$/, '').toLowerCase();
  const isOpen = listening === '0.0.0.0' || listening === '::';
  const isOwn = name === listening || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(name);
  if (!isOpen && !isOwn)
    return `The control API is not available at the host ${name.slice(0, 100)}. Use ${listening}.`;
  if (site === 'cross-site' || (origin !== undefined && origin !== `http://${host}`))
    return 'The control API does not answer pages of other sites.';
  return undefined;
}

const MOST_LISTENERS = 100;
/**
 * A listener that leaves more bytes unread is disconnected: a hundred that do not read must not fill the memory of the
 * mock. It loses nothing, since it may reconnect with its Last-Event-ID, and gets what it missed as fast as it reads.
 */
const MOST_WAITING = 128 * 1024;
const BEAT_MS = 15_000;

/** Exchanges as they end, as server-sent events (HTML standard, section 9.2). */
export function createStream({ journal }: State): ControlRoute['answer'] {
  let listeners = 0;

  /** Sends the missed exchanges as fast as they are read; calls `live` when nothing is missing. */
  async function replay(
    response: ServerResponse,
    since: number,
    fits: (one: Exchange) => boolean,
    live: () => void,
  ): Promise<void> {
    const { socket } = response.req;
    let last = since;
    const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    const missed = () => journal.list({ since: last });
    for (let found = missed(); found.length > 0; found = missed())
      for (const exchange of found) {
        last = exchange.seq;
        if (socket.destroyed) return;
        if (!fits(exchange) || response.write(eventOf(exchange))) continue;
        await Promise.race([new Promise((resolve) => response.once('drain', resolve)), gone]);
      }
    if (!socket.destroyed) live();
  }

  return ({ request, response, query }) => {
    if (listeners >= MOST_LISTENERS)
      throw new Refusal(
        503,
        'temporarily_unavailable',
        `There are already ${MOST_LISTENERS} listeners. Close one of them.`,
      );
    const { client } = query;
    const last = request.headers['last-event-id'] ?? '';
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.write(': the journal of the mock\n\n');
    const fits = (exchange: Exchange) => client === undefined || exchange.client === client;
    const beat = setInterval(() => write(response, ': still here\n\n'), BEAT_MS);
    let stop = () => {};
    listeners++;
    // The response may never close: it queues after earlier ones.
    request.socket.once('close', () => {
      stop();
      clearInterval(beat);
      listeners--;
    });
    const since = /^\d{1,15}$/.test(`${last}`) ? Number(last) : journal.next() - 1;
    void replay(response, since, fits, () => {
      stop = journal.listen((exchange) => void (fits(exchange) && write(response, eventOf(exchange))));
    });
    return undefined;
  };
}

const eventOf = (exchange: Exchange): string =>
  `event: exchange\nid: ${exchange.seq}\ndata: ${JSON.stringify(entryOf(exchange))}\n\n`;

function write(response: ServerResponse, text: string): void {
  if (response.destroyed) return;
  if (response.writableLength > MOST_WAITING) response.destroy();
  else response.write(text);
}
