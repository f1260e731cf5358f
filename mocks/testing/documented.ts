/** Whether an answer is one that a contract documents, read from the document only. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';

/** An answer, and what it answers. */
export interface Answer {
  method: string;
  target: string;
  status: number;
  /** Names in small letters. */
  headers: Record<string, string>;
  body: string;
}

/** What is wrong with the answer, in a sentence; undefined if it is documented. */
export type Judge = (answer: Answer) => string | undefined;

interface Media {
  schema: object;
  examples?: Record<string, { value: unknown }>;
}

type Responses = Record<string, { $ref?: string; headers?: object; content?: { 'application/json': Media } }>;

interface Document {
  paths: Record<string, Record<string, { operationId: string; responses: Responses }>>;
  components: { responses: Responses };
}

/** Of the service and of the control, which is asked for below /__mock. */
export function createJudge(): Judge {
  const service = judgeOf('openapi.yaml', [404]);
  const control = judgeOf('control.openapi.yaml', [401, 403, 404]);
  return (answer) => (isControl(answer.target) ? control : service)(answer);
}

/** `elsewhere` are the statuses of a path that is not in the document. */
function judgeOf(file: string, elsewhere: readonly number[]): Judge {
  const document: Document = parse(
    readFileSync(fileURLToPath(import.meta.resolve(`mrs-contract/${file}`)), 'utf8'),
  );
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  const { components } = document;
  const validators = new Map<object, (body: unknown) => boolean>();
  const isValid = (schema: object, body: unknown) => {
    const validate = validators.get(schema) ?? ajv.compile({ ...schema, components });
    validators.set(schema, validate);
    return validate(body);
  };

  const items = Object.entries(document.paths).map(([path, item]) => ({ pattern: patternOf(path), item }));

  function responseTo({ method, target, status }: Answer): Responses[string] | undefined {
    const path = pathOf(target);
    const item = items.find(({ pattern }) => pattern.test(path))?.item;
    const operation =
      item?.[method.toLowerCase()] ?? (method === 'HEAD' && !isControl(path) ? item?.get : undefined);
    if (!operation) return (item ? [...elsewhere, 405] : elsewhere).includes(status) ? ANY_JSON : undefined;
    const found = operation.responses[status] ?? (isRefusal(status) ? operation.responses['4XX'] : undefined);
    return found?.$ref ? components.responses[found.$ref.split('/').at(-1) ?? ''] : found;
  }

  return (answer) => {
    const { method, headers, body } = answer;
    const response = responseTo(answer);
    if (!response) return 'the status is none that is documented there';
    for (const name of Object.keys(response.headers ?? {}))
      if (!headers[name.toLowerCase()]) return `the header ${name} is missing`;
    const media = response.content?.['application/json'];
    if (!media) return body === '' ? undefined : 'there is a body';
    if (headers['content-type'] !== 'application/json') return 'the type is not JSON';
    if (method === 'HEAD') return undefined;
    const value = parsed(body);
    if (value === undefined) return 'the body is not JSON';
    if (!isValid(media.schema, value)) return 'the body does not fit its schema';
    if (Object.keys(media.schema).length > 0) return undefined;
    const examples = Object.values(media.examples ?? {}).map((example) => JSON.stringify(example.value));
    return response === ANY_JSON || examples.includes(body) ? undefined : 'the body is none of the examples';
  };
}

const ANY_JSON: Responses[string] = { content: { 'application/json': { schema: {} } } };

const isRefusal = (status: number) => status >= 400 && status < 500;

/** Braces in a path match one segment. */
const patternOf = (path: string): RegExp => new RegExp(`^${path.replace(/\{\w+\}/, '[^/]+')}$`);

const isControl = (target: string) => target === '/__mock' || target.startsWith('/__mock/');

/** As the mock has it: nothing is decoded, and the query plays no part. */
const pathOf = (target: string): string =>
  (!target.startsWith('/') && URL.canParse(target) ? new URL(target).pathname : target).replace(
    /[?#].*/s,
    '',
  );

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
