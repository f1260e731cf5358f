/**
 * Prism in process: validates requests and gives the answers, both from the contract. It is read from one file, of which
 * scripts/bundle-prism.mjs says what it leaves out.
 */
import { createRequire } from 'node:module';
import type * as Prism from '@stoplight/prism-http';
import type { IHttpMockConfig, IHttpRequest } from '@stoplight/prism-http';
import { type Answer, answers, type OperationId } from './contract/answers.ts';
import type { Contract } from './contract/contract.ts';
import type { ConditionalAnswer } from './contract/document.ts';
import { MockError } from './contract/mock-error.ts';
import type { Reply } from './http.ts';

/** What is wrong with a form, as `x-response-when` of the contract names it. */
export type FormProblem = 'other-media-type' | 'malformed-request' | 'other-grant-type';

/** A reply from the contract, ready to send. */
export interface Negotiated extends Reply {
  /** The contract's own example object: clone it before changing it. */
  readonly body: unknown;
}

export type Engine = Awaited<ReturnType<typeof createEngine>>;

const engines = new WeakMap<Contract, Promise<Engine>>();

/** The engine of a contract, created once: Prism keeps every schema that it compiles (stoplightio/prism #1908). */
export function engineFor(contract: Contract): Promise<Engine> {
  const engine = engines.get(contract) ?? createEngine(contract);
  engines.set(contract, engine);
  return engine;
}

/** Verdicts on Accept headers that are kept; clients send few different ones. */
const MOST_KNOWN = 1000;
/** In characters: a form is no longer. */
const LONGEST_KNOWN = 1000;

async function createEngine(contract: Contract) {
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

  async function negotiate(operation: OperationId, place: ConditionalAnswer): Promise<Negotiated> {
    const { status, mediaType, example, described } = place;
    const mock = { dynamic: false, code: status, ...(example !== undefined && { exampleKey: example }) };
    const accept = mediaType === undefined ? {} : { headers: { accept: mediaType } };
    const result = await ask(operation, accept, { mock });
    const what = `${operation} ${status} ${example}`;
    if (result._tag === 'Left') throw new MockError(`${what}: ${result.left.message}`);
    const { statusCode, headers: given = {}, body } = result.right.output;
    // Prism falls back to another answer if the contract does not have the requested status.
    if (statusCode !== status)
      throw new MockError(`${what}: the contract's answer has status ${statusCode}.`);
    const headers = lowerCaseNames({ ...given, ...(described['x-headers'] as object) });
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
    const accept = acceptFor(types, given);
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

  const negotiated = new Map<Answer, Negotiated>();
  for (const answer of Object.values(answers)) {
    const place = contract.responseRef(answer);
    if (place) negotiated.set(answer, await negotiate(answer.operation, place));
  }

  async function validate(contentType: string | undefined, body: string): Promise<FormProblem | undefined> {
    const headers = {
      'content-type': mediaTypeOf(contentType),
      // Prism checks the media type only if this is above zero; a chunked request does not have it.
      'content-length': String(Buffer.byteLength(body)),
    };
    try {
      const result = await ask('obtainToken', { headers, body }, { validateRequest: true });
      if (result._tag === 'Right') return problemOf(result.right.validations.input);
      // If the contract has neither 400 nor 422, Prism has no answer and reports the violations in a problem.
      if (result.left instanceof ProblemJsonError && result.left.status === 415) return 'other-media-type';
      const { additional } = result.left as { additional?: { validation?: Violation[] } };
      return problemOf((additional?.validation ?? [{}]).map((one) => ({ ...one, path: one.location })));
    } catch (error) {
      if (error instanceof URIError) return 'malformed-request'; // a field name is not percent-encoded text
      throw error;
    }
  }

  /** By operation, and by the header. */
  const accepted = { obtainToken: new Map(), readData: new Map(), checkHealth: new Map() };
  const forms = new Map<string, FormProblem | undefined>();
  const engine = {
    /** Those that the contract has. Asked for at the start, so that no client waits for Prism. */
    negotiated: negotiated as ReadonlyMap<Answer, Negotiated>,
    /** Whether the Accept header admits the success of the operation. */
    async accepts(id: OperationId, accept: string | undefined): Promise<boolean> {
      const known: Map<string, boolean> = accepted[id];
      if (!accept) return true;
      const verdict = known.get(accept) ?? (await isAccepted(id, accept));
      if (known.size >= MOST_KNOWN) known.clear();
      known.set(accept, verdict);
      return verdict;
    },
    /** What is wrong with the form of a token request, which Prism parses itself: once, since a client repeats its form. */
    async formProblem(contentType: string | undefined, body: string): Promise<FormProblem | undefined> {
      const key = `${contentType}\n${body}`;
      const problem = forms.has(key) ? forms.get(key) : await validate(contentType, body);
      if (forms.size >= MOST_KNOWN) forms.clear();
      if (body.length <= LONGEST_KNOWN) forms.set(key, problem);
      return problem;
    },
  };
  // Prism loads and compiles what it needs at the first request: that is this one, and none of a client.
  if (byId.has('obtainToken')) await engine.formProblem(FORM_TYPE, WARMING_FORM);
  for (const id of byId.keys()) await engine.accepts(id, JSON_TYPE);
  return engine;
}

const FORM_TYPE = 'application/x-www-form-urlencoded';
/** Valid, so that all of it is read; no client has these credentials. */
const WARMING_FORM = 'grant_type=client_credentials&client_id=-&client_secret=-';

/** A path begins with "body", and its place is `location` in a problem. */
interface Violation {
  code?: string | number;
  path?: string[] | undefined;
  location?: string[];
}

function problemOf(violations: readonly Violation[]): FormProblem | undefined {
  if (violations.some(({ code }) => code === 415)) return 'other-media-type';
  if (violations.some(({ path }) => path?.[1] !== 'grant_type')) return 'malformed-request';
  return violations.length > 0 ? 'other-grant-type' : undefined;
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

/**
 * Clients accept application/json (clauses 4.1 and 4.2), and a profile may answer with another type: it is acceptable where
 * JSON is, unless the client names it.
 */
function acceptFor(types: readonly string[], given: string): string {
  const ranges = given.split(',').map((range) => range.trim().split(/(?=;)/));
  const isNamed = (type: string) =>
    ranges.some(([name]) => name?.trim().toLowerCase() === type.toLowerCase());
  if (types.some((type) => type === JSON_TYPE || isNamed(type))) return given;
  return ranges
    .map(([name = '', ...parameters]) =>
      [name.trim().toLowerCase() === JSON_TYPE ? types[0] : name, ...parameters].join(''),
    )
    .join(', ');
}

const JSON_TYPE = 'application/json';

/** Prism requires a logger. The mock has a journal, so this one writes nothing. */
function silentLogger(): Parameters<typeof Prism.createInstance>[1]['logger'] {
  const nothing = () => {};
  const logger = { child: () => logger, success: nothing } as Record<string, unknown>;
  for (const level of ['trace', 'debug', 'info', 'warn', 'error', 'fatal']) logger[level] = nothing;
  return logger as unknown as ReturnType<typeof silentLogger>;
}
