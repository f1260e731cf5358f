/**
 * Prism in process: validates requests and gives the answers, both from the contract. It is read from one file, of which
 * scripts/bundle-prism.mjs says what it leaves out.
 */
import { createRequire } from 'node:module';
import type * as Prism from '@stoplight/prism-http';
import type { IHttpMockConfig, IHttpRequest } from '@stoplight/prism-http';
import { type Answer, answers, type OperationId } from './contract/answers.ts';
import type { Contract, ResponseRef } from './contract/contract.ts';
import { MockError } from './contract/mock-error.ts';
import type { Reply } from './http.ts';

/** One way in which a form violates the contract. */
export interface Violation {
  of: 'content-type' | 'form';
  /** A form field; without it, the form as a whole. */
  field?: string;
}

/** A form as it was sent. */
interface SentForm {
  contentType: string | undefined;
  /** Prism parses forms itself, and rejects one that is already parsed. */
  body: string;
}

/** A reply from the contract, ready to send. */
export interface Negotiated extends Reply {
  /** The contract's own example object: clone it before changing it. */
  readonly body: unknown;
}

export interface Engine {
  /** Whether the Accept header admits the success of the operation; at once where its verdict is known. */
  accepts(operation: OperationId, accept: string | undefined): boolean | Promise<boolean>;
  /** What is wrong with a token request. */
  violationsOf(form: SentForm): Promise<readonly Violation[]>;
  /** Those that the contract has. Asked for at the start, so that no client waits for Prism. */
  readonly negotiated: ReadonlyMap<Answer, Negotiated>;
}

const engines = new WeakMap<Contract, Promise<Engine>>();

/** The engine of a contract, created once: Prism keeps every schema that it compiles (stoplightio/prism #1908). */
export function engineFor(contract: Contract): Promise<Engine> {
  const engine = engines.get(contract) ?? createEngine(contract);
  engines.set(contract, engine);
  return engine;
}

/** Verdicts on Accept headers that are kept; clients send few different ones. */
const MOST_KNOWN = 1000;
/** In characters; of a longer form, the verdict is not kept. */
const LONGEST_KNOWN = 500;

async function createEngine(contract: Contract): Promise<Engine> {
  const { createInstance, getHttpOperationsFromSpec, ProblemJsonError } = createRequire(import.meta.url)(
    '#prism',
  ) as typeof Prism;
  // Prism resolves references in place, so it gets its own copy.
  const all = await getHttpOperationsFromSpec(structuredClone(contract.document) as object);
  const prism = createInstance(configOf(), { logger: silentLogger() });
  const byId = new Map(
    contract.operations.toReversed().map(({ id, method, path }) => {
      const found = all.find((one) => one.path === path && one.method.toUpperCase() === method);
      if (found) return [id, found];
      throw new MockError(
        `Prism does not find ${method} ${path} in the contract. Check that it is an operation.`,
      );
    }),
  );

  /** `more.mock` is a new object for every request: Prism writes the request's media types into it. */
  function ask(id: OperationId, request: Partial<IHttpRequest>, more: Partial<IHttpMockConfig> = {}) {
    const operation = byId.get(id) as (typeof all)[number];
    const method = operation.method as IHttpRequest['method'];
    return prism.request(
      { method, url: { path: operation.path }, ...request },
      [operation],
      configOf(more),
    )();
  }

  async function negotiate(place: ResponseRef): Promise<Negotiated> {
    const { operation, status, mediaType, example, headers: own } = place;
    const mock = { dynamic: false, code: status, ...(example !== undefined && { exampleKey: example }) };
    const accept = mediaType === undefined ? {} : { headers: { accept: mediaType } };
    const result = await ask(operation as OperationId, accept, { mock });
    const what = `${operation} ${status} ${example}`;
    if (result._tag === 'Left') throw new MockError(`${what}: ${result.left.message}`);
    const { statusCode, headers: given = {}, body } = result.right.output;
    // Prism falls back to another answer if the contract does not have the requested status.
    if (statusCode !== status)
      throw new MockError(`${what}: the contract's answer has status ${statusCode}.`);
    const headers = lowerCaseNames({ ...given, ...own });
    // Prism gives no body to HEAD.
    if (mediaType === undefined || body === undefined) return withoutBody(status, headers);
    const isText = typeof body === 'string' && !/json$/.test(mediaType);
    const bytes = Buffer.from(isText ? body : JSON.stringify(body));
    return { status, headers: { ...headers, 'content-length': String(bytes.length) }, body, bytes };
  }

  async function isAccepted(id: OperationId, given: string): Promise<boolean> {
    const success = byId.get(id)?.responses.find(({ code }) => /^2/.test(code));
    const types = (success?.contents ?? []).map(({ mediaType }) => mediaType);
    if (types.length === 0) return true; // An answer without a body is always acceptable.
    // Clients accept application/json (clauses 4.1 and 4.2); a profile may answer with another type.
    const accept = types.includes('application/json')
      ? given
      : given.replaceAll('application/json', String(types[0]));
    try {
      const result = await ask(id, { headers: { accept } });
      // If the header has */* with q=0, Prism answers 200 without a body.
      if (result._tag === 'Right') return result.right.output.body !== undefined;
      if (result.left instanceof ProblemJsonError && result.left.status === 406) return false;
      throw result.left;
    } catch (error) {
      if (error instanceof TypeError) return false; // not a media type
      throw error;
    }
  }

  async function violationsIn({ contentType, body }: SentForm): Promise<Violation[]> {
    const headers = {
      'content-type': mediaTypeOf(contentType),
      // Prism checks the media type only if this is above zero; a chunked request does not have it.
      'content-length': String(Buffer.byteLength(body)),
    };
    try {
      const result = await ask('obtainToken', { headers, body }, { validateRequest: true });
      if (result._tag === 'Right') return result.right.validations.input.map(violationOf);
      // If the contract has neither 400 nor 422, Prism has no answer and reports the violations in a problem.
      if (result.left instanceof ProblemJsonError && result.left.status === 415)
        return [{ of: 'content-type' }];
      const { additional } = result.left as {
        additional?: { validation?: { code?: string | number; location?: string[] }[] };
      };
      return (additional?.validation ?? [{}]).map(({ code, location }) =>
        violationOf({ ...(code !== undefined && { code }), ...(location && { path: location }) }),
      );
    } catch (error) {
      if (error instanceof URIError) return [{ of: 'form' }]; // a field name is not percent-encoded text
      throw error;
    }
  }

  const negotiated = new Map<Answer, Negotiated>();
  for (const answer of Object.values(answers)) {
    const place = contract.responseRef(answer);
    if (place) negotiated.set(answer, await negotiate(place));
  }

  /** Clients repeat their forms. */
  const forms = new Map<string, Promise<readonly Violation[]>>();
  function violationsOf(form: SentForm): Promise<readonly Violation[]> {
    const key = `${form.contentType} ${form.body}`;
    const known = forms.get(key) ?? violationsIn(form);
    if (forms.size >= MOST_KNOWN) forms.clear();
    if (key.length <= LONGEST_KNOWN) forms.set(key, known);
    return known;
  }

  /** By operation, and by the header. */
  const accepted = { obtainToken: new Map(), readData: new Map(), checkHealth: new Map() };
  return {
    negotiated,
    violationsOf,
    accepts(id, accept) {
      const known: Map<string, boolean> = accepted[id];
      if (!accept) return true;
      const verdict = known.get(accept);
      if (verdict !== undefined) return verdict;
      return isAccepted(id, accept).then((is) => {
        if (known.size >= MOST_KNOWN) known.clear();
        known.set(accept, is);
        return is;
      });
    },
  };
}

/** Without a body there is no Content-Type, and with 204 not even a length (RFC 9110 section 8.6). */
function withoutBody(status: number, given: Record<string, string>): Negotiated {
  const { 'content-type': _, ...headers } = given;
  const length = status === 204 || status === 304 ? {} : { 'content-length': '0' };
  return { status, headers: { ...headers, ...length }, body: undefined, bytes: Buffer.alloc(0) };
}

/** Header names are case-insensitive (RFC 9110 section 5.1); here they are in lower case. */
export const lowerCaseNames = (headers: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** Prism does not know the tokens, so that it does not check security. */
const configOf = (more: Partial<IHttpMockConfig> = {}): IHttpMockConfig => ({
  isProxy: false,
  upstreamProxy: undefined,
  checkSecurity: false,
  validateRequest: false,
  validateResponse: false,
  errors: false,
  mock: { dynamic: false },
  ...more,
});

/** A body without a valid media type has an unknown one (RFC 9110 section 8.3); Prism would accept it. */
function mediaTypeOf(contentType = ''): string {
  return /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(;|$)/.test(contentType)
    ? contentType
    : 'application/octet-stream';
}

function violationOf({ code, path = [] }: { code?: string | number; path?: string[] }): Violation {
  if (code === 415) return { of: 'content-type' };
  const field = path[1]; // after "body"
  return field === undefined ? { of: 'form' } : { of: 'form', field };
}

/** Prism requires a logger. The mock has a journal, so this one writes nothing. */
function silentLogger(): Parameters<typeof Prism.createInstance>[1]['logger'] {
  const nothing = () => {};
  const logger = { child: () => logger, success: nothing } as Record<string, unknown>;
  for (const level of ['trace', 'debug', 'info', 'warn', 'error', 'fatal']) logger[level] = nothing;
  return logger as unknown as ReturnType<typeof silentLogger>;
}
