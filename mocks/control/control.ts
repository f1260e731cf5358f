/** The control API below /__mock, which control.openapi.yaml describes. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { visit } from 'jsonc-parser';
import type { Contract } from '../contract/contract.ts';
import { loadControlContract } from '../contract/control-contract.ts';
import { MockError } from '../contract/mock-error.ts';
import { oneReplica, WHY } from '../state/one-replica.ts';
import { realService, WHY_SERVICE } from '../state/real-service.ts';
import type { State } from '../state/state.ts';
import { readBearer } from '../wire/bearer.ts';
import { readBody } from '../wire/body.ts';
import { failure, type Reply } from '../wire/reply.ts';
import { jsonReply, noContent, Refusal } from './answer.ts';
import { certificateRoutes } from './certificate.ts';
import type { ClientExaminer } from './client-examiner.ts';
import { clientRoutes } from './clients.ts';
import { clockRoutes } from './clock.ts';
import { eventRoutes } from './events.ts';
import { journalRoutes } from './journal.ts';
import { foreignRequestProblem } from './origin-check.ts';
import { pageRoutes } from './page.ts';
import type { ControlRoute } from './route.ts';

export interface ControlParts {
  contract: Contract;
  state: State;
  key: string;
  /** The address that the mock listens on. */
  host: string;
  basePath: string;
  /** The base URL of a real service, which a proxy shows in place of a mock. */
  service?: string | undefined;
  /** Undefined if nothing judges clients. */
  examiner?: ClientExaminer | undefined;
}

/** Answers a request below /__mock; undefined if the route writes the response itself. */
export type Control = (request: IncomingMessage, response: ServerResponse) => Promise<Reply | undefined>;

const BODY_BYTES = 1024 * 1024;

export const isControl = (target = ''): boolean => target === '/__mock' || target.startsWith('/__mock/');

export function createControl(parts: ControlParts): Control {
  const digest = sha256(parts.key);
  const all: ControlRoute[] = [
    {
      method: 'GET',
      path: '/__mock/health',
      open: true,
      oneReplica: undefined,
      answer: () => jsonReply({ status: 'ok', version: loadControlContract().version }),
    },
    ...clockRoutes(parts.state),
    ...clientRoutes(parts.state),
    ...journalRoutes(parts.state),
    ...certificateRoutes(parts.state, parts.examiner),
    ...eventRoutes(parts.state),
    {
      method: 'POST',
      path: '/__mock/reset',
      oneReplica: WHY.restore,
      realService: WHY_SERVICE.restore,
      answer() {
        parts.state.reset();
        return noContent;
      },
    },
    ...pageRoutes(parts),
  ];
  const table = all.map((route) => ({ route, pattern: patternOf(route.path) }));

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
    const { takes, answer, oneReplica: why, realService: whyService } = found.route;
    if (why !== undefined && parts.state.isReplica) return failure(409, 'conflict', oneReplica(why));
    if (whyService !== undefined && parts.service !== undefined)
      return failure(409, 'conflict', realService(whyService));
    try {
      const name = nameIn(found.pattern.exec(path)?.[1]);
      const body = takes ? await bodyOf(request, takes) : undefined;
      return answer({ request, response, name, query: new URLSearchParams(query), body: body as never });
    } catch (error) {
      if (error instanceof Refusal) return error.reply;
      if (!(error instanceof MockError || error instanceof RangeError)) throw error;
      return failure(400, 'invalid_request', `Nothing was changed. ${error.message}`);
    }
  };

  function isAuthorized({ headers }: IncomingMessage): boolean {
    const bearer = readBearer(headers.authorization);
    return bearer.kind === 'token' && timingSafeEqual(sha256(bearer.token), digest);
  }
}

/** Throws Refusal for a body that does not match the schema. */
async function bodyOf(request: IncomingMessage, schema: string): Promise<unknown> {
  const text = await readBody(request, BODY_BYTES);
  if (text === undefined)
    throw new Refusal(413, 'invalid_request', 'Nothing was changed: the body is larger than 1 MiB.');
  const body = parsed(text);
  const fault = loadControlContract().schemaProblem(schema, body) ?? repetition(text);
  if (fault) throw new Refusal(400, 'invalid_request', `Nothing was changed: ${fault}.`);
  return body;
}

const keyMissing = () =>
  failure(
    401,
    'unauthorized',
    'The control API requires its key as a bearer token. The mock prints it at its start; MRS_MOCK_CONTROL_KEY sets it.',
    { 'www-authenticate': 'Bearer' },
  );

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
