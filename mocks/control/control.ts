/** The control API below /__mock, which control.openapi.yaml describes, and the page. */
import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isSameSecret } from '../clients.ts';
import { BEARER } from '../condition.ts';
import {
  type ControlOperation,
  controlOperations,
  isNumber,
  queryProblem,
  schemaProblem,
} from '../contract/control-contract.ts';
import { MockError } from '../contract/mock-error.ts';
import { failure, jsonReply, type Reply, readBody } from '../http.ts';
import { createOperations, type OperationParts, Refusal } from './operations.ts';

interface ControlParts extends OperationParts {
  key: string;
  /** The address that the mock listens on. */
  host: string;
}

/** Answers a request below /__mock. */
export type Control = (request: IncomingMessage) => Promise<Reply>;

const BODY_BYTES = 1024 * 1024;

export const isControl = (target = ''): boolean => target === '/__mock' || target.startsWith('/__mock/');

export function createControl(parts: ControlParts): Control {
  const operations = createOperations(parts);
  const table = controlOperations().map((one) => ({ ...one, pattern: patternOf(one.path) }));
  const files = new Set(readdirSync(FOLDER).filter((name) => extname(name) in TYPES));

  return async (request) => {
    const { method, headers, url = '' } = request;
    const foreign = foreignRequestProblem(headers, parts.host);
    if (foreign) return failure(403, 'forbidden', foreign);
    const [path = '', query = ''] = url.split(/\?(.*)/s);
    const here = table.filter(({ pattern }) => pattern.test(path));
    const found = here.find((one) => one.method === method);
    const file = path === '/__mock/' ? 'index.html' : path.replace('/__mock/', '');
    const isFile = method === 'GET' && files.has(file);
    if (!isFile && !found?.open && !isAuthorized(headers)) return keyMissing();
    try {
      if (isFile) return fileNamed(file);
      if (!found) return nothingAt(path.slice(0, 100), method, here);
      const result = await (operations[found.id] as (asked: object) => object | undefined)({
        name: nameIn(found.pattern.exec(path)?.[1]),
        query: queryOf(found, query),
        body: found.takes ? await bodyOf(request, found.takes) : undefined,
      });
      return result ? jsonReply(result) : { status: 204, headers: {}, bytes: Buffer.alloc(0) };
    } catch (error) {
      if (error instanceof Refusal) return failure(error.status, error.code, error.message);
      if (error instanceof MockError || error instanceof RangeError)
        return failure(400, 'invalid_request', error.message);
      throw error;
    }
  };

  function isAuthorized({ authorization }: IncomingHttpHeaders): boolean {
    const key = BEARER.exec(authorization ?? '')?.[1];
    return key !== undefined && isSameSecret(key, parts.key);
  }
}

function nothingAt(path: string, method: string | undefined, here: readonly ControlOperation[]): Reply {
  if (here.length === 0) return failure(404, 'not_found', `The control API has nothing at ${path}.`);
  const allow = here.map((one) => one.method).join(', ');
  const sentence = `${path} does not support ${method}. Use ${allow}.`;
  return failure(405, 'method_not_allowed', sentence, { allow });
}

const FOLDER = dirname(fileURLToPath(import.meta.resolve('mrs-contract/page/index.html')));
const TYPES: Record<string, string> = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript' };

/** Nothing from other origins runs in the page, and nothing that a journal holds. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; form-action 'none'; " +
  "base-uri 'none'; frame-ancestors 'none'";

function fileNamed(name: string): Reply {
  const bytes = readFileSync(join(FOLDER, name));
  return {
    status: 200,
    bytes,
    headers: {
      'content-type': `${TYPES[extname(name)]}; charset=utf-8`,
      'content-length': String(bytes.length),
      'content-security-policy': POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
    },
  };
}

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
  if (text === undefined) throw new Refusal(413, 'The body is larger than 1 MiB.');
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {}
  const fault = schemaProblem(schema, body);
  if (fault) throw new Refusal(400, `${fault}.`);
  return body;
}

/** Throws Refusal for a query that is not as the contract has it. */
function queryOf({ id, query: schema }: ControlOperation, text: string): Record<string, string | number> {
  if (!schema) return {};
  const given = [...new URLSearchParams(text)].map(([name, value]) => {
    const isWhole = isNumber(schema.properties[name]) && /^\d{1,15}$/.test(value);
    return [name.slice(0, 100), isWhole ? Number(value) : value] as const;
  });
  const query = Object.fromEntries(given);
  const fault = queryProblem(id, query);
  if (fault) throw new Refusal(400, `${fault}.`);
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
