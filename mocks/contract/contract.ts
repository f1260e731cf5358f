/** openapi.yaml under a profile, read and checked once: an error stops the mock at its start, not a client later. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type Answer, answers, type OperationId } from './answers.ts';
import {
  type Assumption,
  type ConditionalAnswer,
  conditionalAnswers,
  type Located,
  type Node,
  nodeOf,
  type Operation,
  operationsIn,
  valueAt,
  walk,
} from './document.ts';
import { MockError } from './mock-error.ts';
import { type Profile, SPECIFICATION, specification } from './profile.ts';

export interface Contract {
  /** The whole document. It is shared: clone it before changing it. */
  readonly document: Readonly<Node>;
  /** Name of the profile; `specification` if nothing is declared. */
  readonly profile: string;
  /** Where the document has the answer; undefined if the profile does not offer it. */
  responseRef(answer: Answer): ConditionalAnswer | undefined;
  /** Whether the data requires a token. */
  readonly needsToken: boolean;
  /** Whether conditional requests for the data are answered with 304, as a file server does. */
  readonly isFile: boolean;
  /** Those that the mock answers; a profile may declare others. */
  readonly operations: readonly Operation[];
  readonly assumptions: readonly Assumption[];
  readonly tokenLifetimeSeconds: number;
}

const LIFETIME = '/components/securitySchemes/accessToken/x-token-lifetime-seconds';
const loaded = new WeakMap<Profile, Contract>();

/** The contract under a profile; without one, under the specification only. Throws MockError if it cannot be served. */
export function loadContract(profile: Profile = specification()): Contract {
  const contract = loaded.get(profile) ?? readContract(profile.document, profile.name);
  loaded.set(profile, contract);
  return contract;
}

type Fail = (fault: string) => never;

const ANSWERED: ReadonlySet<string> = new Set(Object.values(answers).map(({ operation }) => operation));

/** Exported for tests with faulty documents. */
export function readContract(document: Node, profile = SPECIFICATION): Contract {
  const fail: Fail = (fault) => {
    throw new MockError(`The contract under the profile ${profile} cannot be served: ${fault}`);
  };
  const nodes = [...walk(document)];
  // A test checks the schemas of openapi.yaml itself: here, that would take longer than all the rest.
  if (document !== specification().document) checkSchemas(document, nodes, fail);
  const tokenLifetimeSeconds = valueAt(document, LIFETIME);
  if (typeof tokenLifetimeSeconds !== 'number')
    fail(`${LIFETIME} is not a number. Write a number of seconds there.`);

  const found = operationsIn(document).map(({ path, method, node }) => {
    const { operationId, summary = '' } = node;
    // There may be several health checks; each has its own id in the document.
    const id = (/^checkHealth/.test(String(operationId)) ? 'checkHealth' : operationId) as OperationId;
    if (!id) fail(`${method} ${path} has no operationId. Add one.`);
    return { id, method, path, summary: String(summary), node };
  });
  const places = new Map<string, ConditionalAnswer>();
  for (const { id, node } of found.toReversed()) {
    const own = conditionalAnswers(document, node);
    const twice = own.find(({ when }, nth) => own.findIndex((one) => one.when === when) !== nth);
    if (twice) fail(`${id} has two answers with "x-response-when: ${twice.when}". Remove one of them.`);
    for (const place of own) places.set(`${id} ${place.when}`, place); // Of several health checks, the first one is used.
  }
  const { security = document.security, responses } = found.find(({ id }) => id === 'readData')?.node ?? {};
  const contract: Contract = {
    document,
    profile,
    operations: found.filter(({ id }) => ANSWERED.has(id)).map(({ node: _, ...operation }) => operation),
    tokenLifetimeSeconds,
    responseRef: ({ operation, when }) => places.get(`${operation} ${when}`),
    needsToken: Array.isArray(security) && security.length > 0,
    isFile: nodeOf(responses)['304'] !== undefined,
    assumptions: nodes.filter(({ key }) => key === 'x-assumption').map(({ value }) => value as Assumption),
  };
  for (const answer of Object.values(answers)) checkAnswer(contract, answer, fail);
  return contract;
}

/** Conditions that need no answer of their own: only a script causes them. */
const OPTIONAL: readonly string[] = ['insufficient-scope', 'rate-limited'];
const OF_TOKENS: readonly string[] = ['missing-token', 'malformed-token', 'unknown-token', 'expired-token'];

/** Prism answers with another status, or with 500, when asked for an answer that does not exist. */
function checkAnswer(contract: Contract, answer: Answer, fail: Fail): void {
  const { operation, when } = answer;
  if (!contract.operations.some(({ id }) => id === operation)) {
    if (operation === 'readData') fail('it has no operation "readData", which the mock requires.');
    return;
  }
  if (operation === 'readData' && when === 'not-acceptable') return; // It may disregard Accept (RFC 9110 section 12.5.1).
  if (OPTIONAL.includes(when) || (OF_TOKENS.includes(when) && !contract.needsToken)) return;
  if (!contract.responseRef(answer))
    fail(
      `no answer of ${operation} has "x-response-when: ${when}". Write it at the example for that condition.`,
    );
}

/** Prism silently skips a schema that does not compile, and then any body is valid. */
function checkSchemas(document: Node, nodes: Located[], fail: Fail): void {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false, logger: false });
  try {
    ajv.addSchema(document, 'contract');
  } catch (error) {
    fail(`${(error as Error).message}.`);
  }
  for (const { pointer, key, above } of nodes) {
    if (key !== 'schema' && above !== '/components/schemas') continue;
    try {
      ajv.compile({ $ref: `contract#${encodeURI(pointer)}` });
    } catch (error) {
      fail(`the schema at ${pointer} does not compile: ${(error as Error).message}.`);
    }
  }
}
