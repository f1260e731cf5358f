/** A proxy in this process, in front of a service of the test, and calls of a correct client, by hand. */
import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { expect } from 'vitest';
import type { Recorded } from '../../../tests/server/recorded.ts';
import { outputPath } from '../../../tests/support/testing/output-path.ts';
import type { Call } from '../call.ts';
import { createHarFile } from '../har-file.ts';
import { type ProxySettings, startProxy } from '../proxy.ts';
import { startWeb } from './wire.ts';

export const SECRET = 'hush-hush-hush-4711';

/** Listens at a free port; `more` are the settings that matter to the test. */
export const proxyTo = (target: string, more: Partial<ProxySettings> = {}): ReturnType<typeof startProxy> =>
  startProxy({ target, port: 0, host: '127.0.0.1', processes: 1, ...more });

/**
 * What `call` leaves at a proxy before a service that answers by `listener`: verdicts, calls as they are shown, and the HAR file, also
 * as it is before the end.
 */
export async function recorded(
  listener: RequestListener,
  call: (url: string) => Promise<unknown>,
  more: Partial<ProxySettings> = {},
) {
  await using service = await startWeb((request, response) => {
    request.resume().once('end', () => listener(request, response));
  });
  return await recordedBefore(service.url, call, more);
}

/** The same before a service that runs. */
export async function recordedBefore(
  target: string,
  call: (url: string) => Promise<unknown>,
  more: Partial<ProxySettings> = {},
) {
  const file = outputPath('traffic.har');
  const har = createHarFile(file, target);
  const calls: Call[] = [];
  const onCall = (one: Call, exchange: Recorded) => {
    calls.push(one);
    expect(har.add(exchange)).toBeUndefined();
  };
  await using proxy = await proxyTo(target, { ...more, onCall });
  await call(proxy.url);
  await proxy.close();
  const { recording, judged } = await proxy.result();
  const early = readFileSync(file, 'utf8');
  expect(har.finish(judged)).toBeUndefined();
  const text = readFileSync(file, 'utf8');
  return {
    ...{ file, text, early, recording, judged, calls },
    entries: JSON.parse(text).log.entries as HarEntry[],
  };
}

interface HarEntry {
  _seq: number;
  request: { url: string; headers: { name: string; value: string }[] };
  response: { status: number; content: { text?: string } };
  _mrs: object;
}

interface Seen {
  status: number;
  headers: Headers;
  body: { token?: string; error_description?: string };
}

async function seen(asking: Promise<Response>): Promise<Seen> {
  const response = await asking;
  const text = await response.text();
  const [head = ''] = text;
  const body = head === '{' && text.endsWith('}') ? JSON.parse(text) : {};
  return { status: response.status, headers: response.headers, body };
}

/** A token request of this client. */
export const ask = (url: string, id = 'acme', secret = SECRET): Promise<Seen> =>
  seen(
    fetch(`${url}/token/`, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret }),
    }),
  );

/** A read with this token. */
export const read = (url: string, token = '', path = '/ods_data/'): Promise<Seen> =>
  seen(fetch(url + path, { headers: { accept: 'application/json', authorization: `Bearer ${token}` } }));

/** The token that this client is issued. */
export async function tokenFrom(url: string, id = 'acme'): Promise<string> {
  const { status, body } = await ask(url, id);
  if (body.token === undefined) throw new Error(`There is no token in the answer, which is ${status}.`);
  return body.token;
}
