/** Prism in process: validates requests and negotiates answers, both from the contract. */
import { createLogger } from '@stoplight/prism-core';
import type { IHttpMockConfig, IHttpRequest } from '@stoplight/prism-http';
import { type Answer, answers, type OperationId } from '../contract/answers.ts';
import type { Contract, ResponseRef } from '../contract/contract.ts';
import { MockError } from '../contract/mock-error.ts';
import { andThen, type MaybePromise } from '../wire/maybe-promise.ts';
import type { Negotiated } from '../wire/reply.ts';
import { createInstance, getHttpOperationsFromSpec, ProblemJsonError } from './lazy-prism.ts';

/** One way in which a request violates the contract. */
export interface Violation {
  of: 'accept' | 'content-type' | 'form';
  /** A form field; without it, the form as a whole. */
  field?: string;
}

/** The parts of a request that are validated. */
export interface Input {
  accept: string | undefined;
  contentType?: string | undefined;
  /** The raw body: Prism parses forms itself, and rejects one that is already parsed. */
  body?: string;
}

export interface Engine {
  validate(operation: OperationId, input: Input): MaybePromise<readonly Violation[]>;
  negotiated(answer: Answer): Negotiated;
}

/** A violation, as Prism's problem describes it. */
interface PrismProblem {
  code?: string | number;
  location?: string[];
}

type PrismOperation = Awaited<ReturnType<typeof getHttpOperationsFromSpec>>[number];

const NOTHING: readonly Violation[] = [];
const engines = new WeakMap<Contract, Promise<Engine>>();

/** The engine of a contract, created once: Prism keeps every schema that it compiles (stoplightio/prism #1908). */
export function engineFor(contract: Contract): Promise<Engine> {
  const engine = engines.get(contract) ?? createEngine(contract);
  engines.set(contract, engine);
  return engine;
}

async function createEngine(contract: Contract): Promise<Engine> {
  // Prism resolves references in place, so it gets its own copy.
  const operations = await getHttpOperationsFromSpec(structuredClone(contract.document) as object);
  const prism = createInstance(config({}), { logger: createLogger('mock', { level: 'silent' }) });
  const byId = new Map(
    contract.operations.toReversed().map(({ id, method, path }) => [id, find(operations, method, path)]),
  );

  /** `mock` is a new object for every request: Prism writes the request's media types into it. */
  const ask = (id: OperationId, request: Partial<IHttpRequest>, wanted: Partial<IHttpMockConfig>) => {
    const operation = byId.get(id) as PrismOperation;
    const method = operation.method as IHttpRequest['method'];
    return prism.request(
      { method, url: { path: operation.path }, ...request },
      [operation],
      config(wanted),
    )();
  };

  async function negotiate({
    operation,
    status,
    mediaType,
    example,
    headers: own,
  }: ResponseRef): Promise<Negotiated> {
    const mock = { dynamic: false, code: status, ...(example !== undefined && { exampleKey: example }) };
    const accept = mediaType === undefined ? {} : { headers: { accept: mediaType } };
    const result = await ask(operation as OperationId, accept, { mock });
    if (result._tag === 'Left')
      throw new MockError(`${operation} ${status} ${example}: ${result.left.message}`);
    const { statusCode, headers = {}, body } = result.right.output;
    // Prism falls back to another answer if the contract does not have the requested status.
    if (statusCode !== status)
      throw new MockError(
        `${operation} ${status} ${example}: the contract's answer has status ${statusCode}.`,
      );
    // Prism gives no body to HEAD.
    if (mediaType === undefined || body === undefined)
      return withoutBody(status, lowered({ ...headers, ...own }));
    const isText = typeof body === 'string' && !/json$/.test(mediaType);
    const bytes = Buffer.from(isText ? body : JSON.stringify(body));
    const length = { 'content-length': String(bytes.length) };
    return { status, headers: { ...lowered({ ...headers, ...own }), ...length }, body, bytes };
  }

  async function unacceptable(id: OperationId, given: string): Promise<readonly Violation[]> {
    const types = successTypes(byId.get(id));
    if (types.length === 0) return NOTHING; // An answer without a body is always acceptable.
    // Clients accept application/json (clauses 4.1 and 4.2); a profile may answer with another type.
    const accept = types.includes('application/json')
      ? given
      : given.replaceAll('application/json', String(types[0]));
    try {
      const result = await ask(id, { headers: { accept } }, {});
      // If the header has */* with q=0, Prism answers 200 without a body.
      if (result._tag === 'Right') return result.right.output.body === undefined ? [{ of: 'accept' }] : [];
      if (result.left instanceof ProblemJsonError && result.left.status === 406) return [{ of: 'accept' }];
      throw result.left;
    } catch (error) {
      if (error instanceof TypeError) return [{ of: 'accept' }]; // not a media type
      throw error;
    }
  }

  async function malformed(id: OperationId, { contentType, body = '' }: Input): Promise<Violation[]> {
    const headers = {
      'content-type': mediaType(contentType),
      // Prism checks the media type only if this is above zero; a chunked request does not have it.
      'content-length': String(Buffer.byteLength(body)),
    };
    try {
      const result = await ask(id, { headers, body }, { validateRequest: true });
      if (result._tag === 'Right') return result.right.validations.input.map(violation);
      // If the contract has neither 400 nor 422, Prism has no answer and reports the violations in a problem.
      if (result.left instanceof ProblemJsonError && result.left.status === 415)
        return [{ of: 'content-type' }];
      const { additional } = result.left as { additional?: { validation?: PrismProblem[] } };
      return (additional?.validation ?? [{}]).map(({ code, location = [] }) =>
        violation({ ...(code !== undefined && { code }), path: location }),
      );
    } catch (error) {
      if (error instanceof URIError) return [{ of: 'form' }]; // a field name is not percent-encoded text
      throw error;
    }
  }

  // All answers are negotiated at the start, so that no client waits for Prism.
  const ready = new Map<Answer, Negotiated>();
  for (const answer of Object.values(answers)) {
    const place = contract.responseRef(answer);
    if (place) ready.set(answer, await negotiate(place));
  }

  const remembered = remember(unacceptable);
  return {
    negotiated: (answer) => ready.get(answer) as Negotiated,
    validate(id, input) {
      const ofAccept = input.accept ? remembered(id, input.accept) : NOTHING;
      // Without a request body in the contract, Prism's verdict depends on the Accept header only.
      if (!byId.get(id)?.request?.body) return ofAccept;
      return Promise.all([malformed(id, input), ofAccept]).then((lists) => lists.flat());
    },
  };
}

/** Without a body there is no Content-Type, and with 204 not even a length (RFC 9110 section 8.6). */
function withoutBody(status: number, given: Record<string, string>): Negotiated {
  const { 'content-type': _, ...headers } = given;
  const length = status === 204 || status === 304 ? {} : { 'content-length': '0' };
  return { status, headers: { ...headers, ...length }, body: undefined, bytes: Buffer.alloc(0) };
}

/** The media types of an operation's success. */
const successTypes = (operation: PrismOperation | undefined): string[] =>
  (operation?.responses.find(({ code }) => /^2/.test(code))?.contents ?? []).map((one) => one.mediaType);

/** Header names are case-insensitive (RFC 9110 section 5.1); here they are in lower case. */
const lowered = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

const config = (wanted: Partial<IHttpMockConfig>): IHttpMockConfig => ({
  isProxy: false,
  upstreamProxy: undefined,
  checkSecurity: false, // Prism does not know the tokens; select-answer.ts checks them.
  validateRequest: false,
  validateResponse: false,
  errors: false,
  mock: { dynamic: false },
  ...wanted,
});

function find(operations: PrismOperation[], method: string, path: string): PrismOperation {
  const found = operations.find((one) => one.path === path && one.method.toUpperCase() === method);
  if (found) return found;
  throw new MockError(
    `Prism does not find ${method} ${path} in the contract. Check that it is an operation.`,
  );
}

/** A body without a valid media type has an unknown one (RFC 9110 section 8.3); Prism would accept it. */
function mediaType(contentType = ''): string {
  return /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(;|$)/.test(contentType)
    ? contentType
    : 'application/octet-stream';
}

function violation({ code, path = [] }: { code?: string | number; path?: string[] }): Violation {
  if (code === 415) return { of: 'content-type' };
  const field = path[1]; // after "body"
  return field === undefined ? { of: 'form' } : { of: 'form', field };
}

type Verdict = (id: OperationId, accept: string) => MaybePromise<readonly Violation[]>;

/** Clients send few different Accept headers. Up to a thousand per operation are cached; then the cache is cleared. */
function remember(verdict: Verdict): Verdict {
  const known = new Map<OperationId, Map<string, readonly Violation[]>>();
  return (id, accept) => {
    const ofOperation = known.get(id) ?? new Map<string, readonly Violation[]>();
    const found = ofOperation.get(accept);
    if (found) return found;
    return andThen(verdict(id, accept), (violations) => {
      if (ofOperation.size >= 1000) ofOperation.clear();
      known.set(id, ofOperation.set(accept, violations));
      return violations;
    });
  };
}
