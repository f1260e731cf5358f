/** Evidence for tests that fill in what they need: of a run that sent nothing, and exchanges to put into it. */
import { createHash } from 'node:crypto';
import { requests } from '../requests.ts';
import type { Answered, Evidence, Exchange, Response } from '../support/evidence.ts';
import { describeJson, parseJson } from '../support/json.ts';

export function blankEvidence(): Evidence {
  return {
    probes: Object.fromEntries(
      requests.map(({ key }) => [key, { what: 'a request', notSent: 'Nothing was sent.' }]),
    ),
    ...{ health: [], refusedTokens: [], repeated: [] },
    expiry: { kind: 'none' },
    target: { baseUrl: 'https://mrs.example', clientId: 'station', healthPaths: [] },
    startedAt: '2030-01-01T00:00:00.000Z',
    durationMs: 0,
    requests: 0,
  };
}

export const answer = (status: number, fields: Partial<Response> = {}): { response: Response } => ({
  response: {
    ...{ status, headers: [], bodyBytes: 0, excerpt: '' },
    digest: 'ac6065a97b55866b3184f1ba9cd925ccf4d525f7115c056dfceae9e7173b96cd',
    json: { wellFormed: false, error: 'the body is empty' },
    ...fields,
  },
});

export const exchange = (nth: number, what: string, more: Partial<Exchange>): Exchange => ({
  ...{ id: `x${nth}`, what },
  request: { method: 'GET', path: '/ods_data/', headers: [['accept', 'application/json']] },
  ...{ sentAtMs: nth * 20, durationMs: 10 },
  ...more,
});

/** An exchange that was answered. */
export const answered = (nth: number, status: number, fields: Partial<Response> = {}, what = 'the data') =>
  exchange(nth, what, answer(status, fields)) as Answered;

/** An answer with this text as its body. */
export function saying(status: number, text: string, path = '/ods_data/'): Answered {
  const body = Buffer.from(text);
  const parsed = parseJson(body);
  const base = answered(1, status, {
    ...{ bodyBytes: body.length, excerpt: text.slice(0, 100), json: describeJson(parsed) },
    mediaType: parsed.wellFormed ? 'application/json' : 'text/html',
    digest: createHash('sha256').update(body).digest('hex'),
  });
  return { ...base, request: { ...base.request, path } };
}
