/** openapi.yaml under a profile, read and checked once: an error stops the mock at its start, not a client later. */
import { append } from '@hyperjump/json-pointer';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type Answer, answers, type OperationId } from './answers.ts';
import {
  type Assumption,
  conditionalAnswers,
  METHODS,
  type Node,
  nodeOf,
  type Operation,
  valueAt,
} from './document.ts';
import { MockError } from './mock-error.ts';
import { type Profile, specification } from './profile.ts';

/** Where the document has the answer to a condition. */
export interface ResponseRef {
  operation: string;
  status: number;
  /** Absent if the answer has no body. */
  mediaType?: string;
  example?: string;
  /** Headers of this answer only (`x-headers`), in addition to those of its status. */
  headers: Readonly<Record<string, string>>;
}

export interface Contract {
  /** The whole document. It is shared: clone it before changing it. */
  readonly document: Readonly<Node>;
  /** Name of the profile; `specification` if nothing is declared. */
  readonly profile: string;
  /** Where the document has the answer; undefined if the profile does not offer it. */
  responseRef(answer: Answer): ResponseRef | undefined;
  /** Whether the operation requires a token. Searches the document, so call it once. */
  needsToken(operation: OperationId): boolean;
  /** Whether conditional requests for the data are answered with 304, as a file server does. Searches the document, so call it once. */
  isFile(): boolean;
  /** Those that the mock answers; a profile may declare others. */
  readonly operations: readonly Operation[];
  readonly assumptions: readonly Assumption[];
  readonly tokenLifetimeSeconds: number;
}

const LIFETIME = '/components/securitySchemes/accessToken/x-token-lifetime-seconds';
const loaded = new WeakMap<Profile, Contract>();

/** The contract under a profile; without one, under the specification only. Throws MockError if it cannot be served. */
export function loadContract(profile: Profile = specification()): Contract {
  const known = loaded.get(profile);
  if (known) return known;
  const { name, document } = profile;
  const fail = (fault: string): never => {
    throw new MockError(`The contract under the profile ${name} cannot be served: ${fault}`);
  };
  const contract = readContract(document, fail, name);
  loaded.set(profile, contract);
  return contract;
}

/** Exported for tests with faulty documents. `fail` is called with the first problem, as a sentence. */
export function readContract(
  document: Node,
  fail: (fault: string) => never,
  profile = 'specification',
): Contract {
  const nodes = [...walk(document)];
  // A test checks the schemas of openapi.yaml itself: here, that would take longer than all the rest.
  if (document !== specification().document) checkSchemas(document, nodes, fail);
  const operations = listOperations(document, fail);
  const tokenLifetimeSeconds = valueAt(document, LIFETIME);
  if (typeof tokenLifetimeSeconds !== 'number')
    fail(`${LIFETIME} is not a number. Write a number of seconds there.`);
  const places = new Map(
    operations
      .toReversed() // Of several health checks, the first one is used.
      .flatMap((operation) => responseRefs(document, operation, fail))
      .map((place) => [keyOf(place), place]),
  );
  const contract: Contract = {
    document,
    profile,
    operations,
    tokenLifetimeSeconds,
    responseRef: (answer) => places.get(keyOf(answer)),
    needsToken(id) {
      const operation = operations.find((one) => one.id === id);
      const { security = document.security } = nodeOf(operation && valueAt(document, pointerOf(operation)));
      return Array.isArray(security) && security.length > 0;
    },
    isFile() {
      const operation = operations.find(({ id }) => id === 'readData');
      const { responses } = nodeOf(operation && valueAt(document, pointerOf(operation)));
      return nodeOf(responses)['304'] !== undefined;
    },
    assumptions: nodes.filter(({ key }) => key === 'x-assumption').map(({ value }) => value as Assumption),
  };
  for (const answer of Object.values(answers)) checkAnswer(contract, answer, fail);
  return contract;
}

const keyOf = ({ operation, when }: { operation: string; when: string }) => `${operation} ${when}`;

/** Conditions that need no answer of their own: only a script causes them. */
const OPTIONAL: readonly string[] = ['insufficient-scope', 'rate-limited'];
const OF_TOKENS: readonly string[] = ['missing-token', 'malformed-token', 'unknown-token', 'expired-token'];

/** Prism answers with another status, or with 500, when asked for an answer that does not exist. */
function checkAnswer(contract: Contract, answer: Answer, fail: (fault: string) => never): void {
  const { operation, when } = answer;
  if (!contract.operations.some(({ id }) => id === operation)) {
    if (operation === 'readData') fail('it has no operation "readData", which the mock requires.');
    return;
  }
  if (operation === 'readData' && when === 'not-acceptable') return; // It may disregard Accept (RFC 9110 section 12.5.1).
  if (OPTIONAL.includes(when) || (OF_TOKENS.includes(when) && !contract.needsToken(operation))) return;
  if (!contract.responseRef(answer))
    fail(
      `no answer of ${operation} has "x-response-when: ${when}". Write it at the example for that condition.`,
    );
}

/** Every answer of an operation that declares its condition. */
function responseRefs(
  document: Node,
  operation: Operation,
  fail: (fault: string) => never,
): (ResponseRef & { when: string })[] {
  const places: (ResponseRef & { when: string })[] = [];
  for (const { described, ...conditional } of conditionalAnswers(
    document,
    valueAt(document, pointerOf(operation)),
  )) {
    if (places.some(({ when }) => when === conditional.when))
      fail(
        `${operation.id} has two answers with "x-response-when: ${conditional.when}". Remove one of them.`,
      );
    const headers = nodeOf(described['x-headers']) as Record<string, string>;
    places.push({ ...conditional, operation: operation.id, headers });
  }
  return places;
}

const pointerOf = ({ path, method }: Operation) => append(method.toLowerCase(), append(path, '/paths'));

const ANSWERED: ReadonlySet<string> = new Set(Object.values(answers).map(({ operation }) => operation));

function listOperations(document: Node, fail: (fault: string) => never): Operation[] {
  const all = Object.entries(nodeOf(document.paths)).flatMap(([path, item]) =>
    Object.entries(nodeOf(item))
      .filter(([method]) => METHODS.includes(method))
      .map(([method, value]) => {
        const { operationId, summary = '' } = nodeOf(value);
        // There may be several health checks; each has its own id in the document.
        const id = (/^checkHealth/.test(String(operationId)) ? 'checkHealth' : operationId) as OperationId;
        if (!id) fail(`${method.toUpperCase()} ${path} has no operationId. Add one.`);
        return { id, method: method.toUpperCase(), path, summary: String(summary) };
      }),
  );
  return all.filter(({ id }) => ANSWERED.has(id));
}

/** Prism silently skips a schema that does not compile, and then any body is valid. */
function checkSchemas(document: Node, nodes: Located[], fail: (fault: string) => never): void {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false, logger: false });
  try {
    ajv.addSchema(document, 'contract');
  } catch (error) {
    fail(`${(error as Error).message}.`);
  }
  for (const { pointer, key } of nodes) {
    if (key !== 'schema' && parentOf(pointer) !== '/components/schemas') continue;
    try {
      ajv.compile({ $ref: `contract#${encodeURI(pointer)}` });
    } catch (error) {
      fail(`the schema at ${pointer} does not compile: ${(error as Error).message}.`);
    }
  }
}

/** The schema of the JSON answer; undefined if the contract has no such answer. */
export function responseOf(
  { document, operations }: Contract,
  id: OperationId,
  status: number,
): object | undefined {
  const found = operations.find((operation) => operation.id === id);
  if (!found) return undefined;
  const response = valueAt(document, `${pointerOf(found)}/responses/${status}`);
  const schema = valueAt(response, '/content/application~1json/schema', document);
  return typeof schema === 'object' && schema !== null ? schema : undefined;
}

interface Located {
  pointer: string;
  key: string;
  value: unknown;
}

/** Every member of the document, in order. Examples are data and are not searched. */
function* walk(node: unknown, above = ''): Generator<Located> {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    const pointer = append(key, above);
    yield { pointer, key, value };
    if (key !== 'value' && key !== 'example') yield* walk(value, pointer);
  }
}

const parentOf = (pointer: string): string => pointer.slice(0, pointer.lastIndexOf('/'));
