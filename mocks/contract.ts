/** openapi.yaml, read and checked once: a fault in it stops the mock at its start, not a client later. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { type Answer, answers, type OperationId } from './answers.ts';
import { MockError } from './mock-error.ts';

export interface Operation {
  id: OperationId;
  /** In capitals, as on the wire. */
  method: string;
  path: string;
  summary: string;
}

/** A choice that the mock makes where the specification is open: an `x-assumption` of the contract. */
export interface Assumption {
  /** Id of the statement that leaves the choice open. */
  answers: string;
  choice: string;
  reason: string;
}

export interface Contract {
  /** The whole document. It is shared: clone it before handing it to anything that writes. */
  readonly document: Readonly<Node>;
  readonly operations: readonly Operation[];
  readonly assumptions: readonly Assumption[];
  readonly tokenLifetimeSeconds: number;
}

type Node = Record<string, unknown>;

const METHODS = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']);
const LIFETIME = '/components/securitySchemes/accessToken/x-token-lifetime-seconds';
const loaded = new Map<string, Contract>();

/** The contract at `location`, by default this package's own. Throws MockError if it cannot be served. */
export function loadContract(location = import.meta.resolve('mrs-contract/openapi.yaml')): Contract {
  const known = loaded.get(location);
  if (known) return known;
  const file = fileURLToPath(location);
  const contract = readContract(readDocument(file), (fault) => {
    throw new MockError(`The contract ${file} cannot be served: ${fault}`);
  });
  loaded.set(location, contract);
  return contract;
}

function readDocument(file: string): Node {
  try {
    const document: unknown = parse(readFileSync(file, 'utf8'));
    if (isNode(document)) return document;
  } catch (error) {
    throw new MockError(`The contract ${file} cannot be read: ${(error as Error).message.split('\n')[0]}`);
  }
  throw new MockError(`The contract ${file} is no YAML mapping. Give it an OpenAPI document.`);
}

/** Exported for tests, which have faulty documents to show. `fail` is told the first fault, as a sentence. */
export function readContract(document: Node, fail: (fault: string) => never): Contract {
  const nodes = [...walk(document)];
  checkSchemas(document, nodes, fail);
  const operations = listOperations(document, fail);
  for (const answer of Object.values(answers)) checkExample(document, operations, answer, fail);
  const tokenLifetimeSeconds = at(document, LIFETIME);
  if (typeof tokenLifetimeSeconds !== 'number')
    fail(`${LIFETIME} is no number. Write a number of seconds there.`);
  return {
    document,
    operations,
    tokenLifetimeSeconds,
    assumptions: nodes.filter(({ key }) => key === 'x-assumption').map(({ value }) => value as Assumption),
  };
}

function listOperations(document: Node, fail: (fault: string) => never): Operation[] {
  return Object.entries(nodeOf(document.paths)).flatMap(([path, item]) =>
    Object.entries(nodeOf(item))
      .filter(([method]) => METHODS.has(method))
      .map(([method, value]) => {
        const { operationId, summary = '' } = nodeOf(value);
        const id = operationId as OperationId;
        if (!id) fail(`${method.toUpperCase()} ${path} has no operationId. Give it one.`);
        return { id, method: method.toUpperCase(), path, summary: String(summary) };
      }),
  );
}

/** A schema that does not compile is skipped by Prism without a word, and then any body passes. */
function checkSchemas(document: Node, nodes: Located[], fail: (fault: string) => never): void {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
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

/** Prism answers with another status, or with 500, when it is asked for an example that is not there. */
function checkExample(
  document: Node,
  operations: Operation[],
  { operation, status, example }: Answer,
  fail: (fault: string) => never,
): void {
  const found = operations.find(({ id }) => id === operation);
  if (!found) fail(`it has no operation "${operation}", which the mock has to answer.`);
  const response = at(
    document,
    `/paths/${escaped(found.path)}/${found.method.toLowerCase()}/responses/${status}`,
  );
  if (nodeOf(at(response, '/content/application~1json/examples', document))[example] !== undefined) return;
  fail(`${operation} ${status} has no JSON example "${example}", which the mock may have to answer with.`);
}

/** The schema of what is answered as JSON; undefined where the contract has no such answer. */
export function responseOf(
  { document, operations }: Contract,
  id: OperationId,
  status: number,
): object | undefined {
  const found = operations.find((operation) => operation.id === id);
  if (!found) return undefined;
  const pointer = `/paths/${escaped(found.path)}/${found.method.toLowerCase()}/responses/${status}`;
  const schema = at(document, `${pointer}/content/application~1json/schema`);
  return isNode(schema) ? schema : undefined;
}

interface Located {
  pointer: string;
  key: string;
  value: unknown;
}

/** Every member of the document, in its order. What an example holds is data, whatever it looks like. */
function* walk(node: unknown, above = ''): Generator<Located> {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    const pointer = `${above}/${escaped(key)}`;
    yield { pointer, key, value };
    if (key !== 'value' && key !== 'example') yield* walk(value, pointer);
  }
}

/** What the JSON pointer leads to from `node`; a `$ref` there is followed within `document`. */
function at(node: unknown, pointer: string, document: unknown = node): unknown {
  const { $ref } = nodeOf(node);
  if (typeof $ref === 'string') return at(at(document, $ref.slice(1)), pointer, document);
  const [, key, ...rest] = pointer.split('/');
  if (key === undefined) return node;
  const next = nodeOf(node)[key.replaceAll('~1', '/').replaceAll('~0', '~')];
  return at(next, rest.map((part) => `/${part}`).join(''), document);
}

const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');
const parentOf = (pointer: string): string => pointer.slice(0, pointer.lastIndexOf('/'));
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;
const nodeOf = (value: unknown): Node => (isNode(value) ? value : {});
