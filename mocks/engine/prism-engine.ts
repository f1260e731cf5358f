/** Prism in process: it validates a request and negotiates the answer owed, both from the contract. */
import { createLogger } from '@stoplight/prism-core';
import type { IHttpMockConfig, IHttpRequest } from '@stoplight/prism-http';
import { type Answer, answers, type OperationId } from '../contract/answers.ts';
import type { Contract, ResponseRef } from '../contract/contract.ts';
import { MockError } from '../contract/mock-error.ts';
import { type MaybePromise, andThen } from '../wire/maybe-promise.ts';
import type { Negotiated } from '../wire/reply.ts';
import { createInstance, getHttpOperationsFromSpec, ProblemJsonError } from './lazy-prism.ts';

/** One way in which a request departs from the contract. */
export interface Violation {
  of: 'accept' | 'content-type' | 'form';
  /** Field of the form; without it, the form as a whole. */
  field?: string;
}

/** What validation looks at. */
export interface Input {
  accept: string | undefined;
  contentType?: string | undefined;
  /** The raw text of the body: Prism parses forms itself, and refuses one that is parsed already. */
  body?: string;
}

export interface Engine {
  validate(operation: OperationId, input: Input): MaybePromise<readonly Violation[]>;
  negotiated(answer: Answer): Negotiated;
}

/** A violation, as a problem of Prism has it. */
interface PrismProblem {
  code?: string | number;
  location?: string[];
}

type PrismOperation = Awaited<ReturnType<typeof getHttpOperationsFromSpec>>[number];

const NOTHING: readonly Violation[] = [];
const engines = new WeakMap<Contract, Promise<Engine>>();

/** The engine of a contract, made once: Prism keeps every schema it compiled (stoplightio/prism #1908). */
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
    // The status is only a wish: Prism falls back to another answer where it cannot fulfil it.
    if (statusCode !== status)
      throw new MockError(
        `${operation} ${status} ${example}: the contract's answer has status ${statusCode}.`,
      );
    // To HEAD, Prism gives no body.
    if (mediaType === undefined || body === undefined)
      return withoutBody(status, lowered({ ...headers, ...own }));
    const isText = typeof body === 'string' && !/json$/.test(mediaType);
    const bytes = Buffer.from(isText ? body : JSON.stringify(body));
    const length = { 'content-length': String(bytes.length) };
    return { status, headers: { ...lowered({ ...headers, ...own }), ...length }, body, bytes };
  }

  async function unacceptable(id: OperationId, given: string): Promise<readonly Violation[]> {
    const types = successTypes(byId.get(id));
    if (types.length === 0) return NOTHING; // There is no body that could be of another type.
    // Clients accept application/json (clauses 4.1 and 4.2), which a profile may answer with another type.
    const accept = types.includes('application/json')
      ? given
      : given.replaceAll('application/json', String(types[0]));
    try {
      const result = await ask(id, { headers: { accept } }, {});
      // Where the header names */* with q=0, Prism answers 200 without a body.
      if (result._tag === 'Right') return result.right.output.body === undefined ? [{ of: 'accept' }] : [];
      if (result.left instanceof ProblemJsonError && result.left.status === 406) return [{ of: 'accept' }];
      throw result.left;
    } catch (error) {
      if (error instanceof TypeError) return [{ of: 'accept' }]; // what it names is no media type
      throw error;
    }
  }

  async function malformed(id: OperationId, { contentType, body = '' }: Input): Promise<Violation[]> {
    const headers = {
      'content-type': mediaType(contentType),
      // Prism looks at the media type only where this is above zero, which a chunked request does not say.
      'content-length': String(Buffer.byteLength(body)),
    };
    try {
      const result = await ask(id, { headers, body }, { validateRequest: true });
      if (result._tag === 'Right') return result.right.validations.input.map(violation);
      // Where the contract has neither 400 nor 422, Prism has no answer to give, and tells what it found in a problem.
      if (result.left instanceof ProblemJsonError && result.left.status === 415)
        return [{ of: 'content-type' }];
      const { additional } = result.left as { additional?: { validation?: PrismProblem[] } };
      return (additional?.validation ?? [{}]).map(({ code, location = [] }) =>
        violation({ ...(code !== undefined && { code }), path: location }),
      );
    } catch (error) {
      if (error instanceof URIError) return [{ of: 'form' }]; // a field's name is not percent-encoded text
      throw error;
    }
  }

  // What is owed is known from the start, so that Prism is not asked again while a client waits.
  const ready = new Map<Answer, Negotiated>();
  const ofUploads = [...contract.uploads.values()].flatMap((upload) => Object.values(upload.answers));
  for (const answer of [...Object.values(answers), ...ofUploads]) {
    const place = contract.responseRef(answer);
    if (place) ready.set(answer, await negotiate(place));
  }

  const remembered = remember(unacceptable);
  return {
    negotiated: (answer) => ready.get(answer) as Negotiated,
    validate(id, input) {
      const ofAccept = input.accept ? remembered(id, input.accept) : NOTHING;
      // Without a request body in the contract, the accept header is all that Prism's verdict depends on.
      if (!byId.get(id)?.request?.body) return ofAccept;
      return Promise.all([malformed(id, input), ofAccept]).then((lists) => lists.flat());
    },
  };
}

/** Of what has no body, no header tells (RFC 9110 section 8.6: with 204 not even its length). */
function withoutBody(status: number, given: Record<string, string>): Negotiated {
  const { 'content-type': _, ...headers } = given;
  const length = status === 204 || status === 304 ? {} : { 'content-length': '0' };
  return { status, headers: { ...headers, ...length }, body: undefined, bytes: Buffer.alloc(0) };
}

/** The media types of what an operation answers with where nothing is refused. */
const successTypes = (operation: PrismOperation | undefined): string[] =>
  (operation?.responses.find(({ code }) => /^2/.test(code))?.contents ?? []).map((one) => one.mediaType);

/** Names of headers have no case (RFC 9110 section 5.1); here they have one spelling. */
const lowered = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

const config = (wanted: Partial<IHttpMockConfig>): IHttpMockConfig => ({
  isProxy: false,
  upstreamProxy: undefined,
  checkSecurity: false, // Prism knows no token; the gate does.
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

/** A body without a readable media type is of an unknown one (RFC 9110 section 8.3); Prism lets it pass. */
function mediaType(contentType = ''): string {
  return /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(;|$)/.test(contentType)
    ? contentType
    : 'application/octet-stream';
}

function violation({ code, path = [] }: { code?: string | number; path?: string[] }): Violation {
  if (code === 415) return { of: 'content-type' };
  const field = path[1]; // behind "body"
  return field === undefined ? { of: 'form' } : { of: 'form', field };
}

type Verdict = (id: OperationId, accept: string) => MaybePromise<readonly Violation[]>;

/** Clients send few different accept headers; of each operation a thousand are remembered, and then all forgotten. */
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
