/** The answer that all servers are measured by. */
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { UsageError } from '../../tests/support/usage-error.ts';

export interface Answer {
  status: number;
  /** Without those that Node.js adds to every answer. */
  headers: Record<string, string>;
  body: string;
}

export interface Question {
  url: string;
  headers: Record<string, string>;
}

const OF_NODE = new Set(['date', 'connection', 'keep-alive']);

/** What a client of the mock at `url` asks for its data, with a token just issued. */
export async function questionTo(url: string): Promise<Question> {
  const accept = 'application/json';
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: 'demo',
    client_secret: 'demo-secret',
  });
  const response = await fetch(`${url}/token/`, { method: 'POST', headers: { accept }, body });
  const { token } = (await response.json()) as { token?: string };
  if (!token)
    throw new UsageError(`The mock issued no token, but answered ${response.status}. Try: npm run mock`);
  return { url: `${url}/ods_data/`, headers: { accept, authorization: `Bearer ${token}` } };
}

/** The headers come with their names as they were written. */
export async function answerTo({ url, headers }: Question): Promise<Answer> {
  const response = await new Promise<IncomingMessage>((resolve, reject) =>
    get(url, { headers, agent: false }, resolve).on('error', reject),
  );
  const { statusCode = 0, rawHeaders } = response;
  const pairs = rawHeaders.flatMap((name, at) =>
    at % 2 === 0 && !OF_NODE.has(name.toLowerCase()) ? [[name, rawHeaders[at + 1] ?? '']] : [],
  );
  return { status: statusCode, headers: Object.fromEntries(pairs), body: await text(response) };
}
