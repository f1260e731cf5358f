/** What a run saw of the points that the specification leaves open. Observed, never judged. */

import { ledger } from '../../support/requirements.ts';
import {
  type Answered,
  type Evidence,
  exchanges,
  inWords,
  isAnswered,
  type Probe,
} from '../support/evidence.ts';

export interface ObservedPoint {
  id: string;
  statement: string;
  /** In words; undefined if nothing that was sent would show it. */
  observed: string | undefined;
}

export const observeOpenPoints = (evidence: Evidence): ObservedPoint[] =>
  ledger
    .filter(({ kind }) => kind === 'open')
    .map(({ id, statement }) => ({ id, statement, observed: OBSERVERS[id]?.(evidence) || undefined }));

/** By open point: what to say of it. An empty string says that nothing was seen. */
const OBSERVERS: Record<string, (evidence: Evidence) => string> = {
  'MRS-4.2g': ({ data }) => answers(data.first).map(shape).join('; '),
  'MRS-4.3c': ({ health }) =>
    answers(...health.map(({ plain }) => plain))
      .map(({ request }) => request.path)
      .join(', '),
  'MRS-4.3d': ({ health }) =>
    answers(...health.map(({ plain }) => plain))
      .map(({ request, response }) => `${request.method} ${request.path}: ${response.status}`)
      .join('; '),
  'MRS-4.3e': ({ health }) =>
    answers(...health.map(({ plain }) => plain))
      .map(shape)
      .join('; '),
  'MRS-4.4': ({ open }) =>
    answers(open.head, open.options, open.withoutSlash)
      .map(
        ({ request, response }) =>
          `${request.method} ${request.path}: ${response.status}${allowed(response)}`,
      )
      .join('; '),
  'MRS-5e': (evidence) =>
    [early(evidence), lifetime(evidence), succession(evidence)].filter(Boolean).join('; '),
  'MRS-7c': ({ data }) => answers(data.expiredToken).filter(isRefused).map(shape).join('; '),
  'MRS-7d': ({ token, data }) => {
    const refused = answers(...Object.values(token), ...Object.values(data)).filter(isRefused);
    return [...new Set(refused.map(({ response }) => response.status))].sort().join(', ');
  },
  'MRS-7e': ({ data }) => answers(data.withoutToken).map(inWords).join('; '),
  'MRS-7f': ({ data }) =>
    answers(data.malformedToken, data.unknownToken, data.alteredToken).map(inWords).join('; '),
  'MRS-7g': ({ token }) => answers(token.unknownClientId, token.cutClientSecret).map(inWords).join('; '),
  'MRS-8a': (evidence) => [rateLimits(evidence), ban(evidence)].filter(Boolean).join('; '),
  'MRS-8c': lifetime,
};

/** What a second token does to the first. */
function succession({ open, data, tokenRepeats }: Evidence): string {
  if (tokenRepeats === undefined) return '';
  if (tokenRepeats) return 'a live token is issued again';
  return answers(open.tokenBefore)
    .map((before) => `a newer token ${isRefused(before) ? 'ends' : 'leaves alive'} the one before`)
    .concat(forgotten({ open, data }))
    .join('; ');
}

/** An expired token need not be known as one once a newer token has ended it. */
function forgotten({ open, data }: Pick<Evidence, 'open' | 'data'>): string[] {
  if (!answers(open.tokenBefore).some(isRefused)) return [];
  const others = answers(data.expiredAgain, data.expiredLater, data.expiredLast).filter(
    (one) => isRefused(one) && one.response.status !== 403,
  );
  return others.slice(0, 1).map((one) => `so this answer is not judged: ${inWords(one)}`);
}

function allowed({ headers }: Answered['response']): string {
  const allow = headers.find(([name]) => name === 'allow')?.[1];
  return allow === undefined ? '' : ` (allow: ${allow})`;
}

/** Shortly before the agreed lifetime ends. */
function early({ data }: Evidence): string {
  return answers(data.late)
    .filter(isRefused)
    .map((late) => `refused before the agreed lifetime had passed: ${inWords(late)}`)
    .join('; ');
}

function lifetime({ expiry, data }: Evidence): string {
  if (answers(data.late).some(isRefused)) return '';
  if (expiry.kind !== 'waited' || !answers(data.expiredToken).some(isRefused)) return '';
  return `agreed ${expiry.lifetimeSeconds} s; refused at the age of ${expiry.ageSeconds} s`;
}

function rateLimits(evidence: Evidence): string {
  const all = exchanges(evidence);
  const names = all.flatMap(({ response }) => (response?.headers ?? []).map(([name]) => name));
  const found = [...new Set(names.filter((name) => /^(retry-after|(x-)?rate-?limit\b.*)$/.test(name)))];
  const waits = all.filter(({ waitedSeconds }) => waitedSeconds !== undefined).length;
  if (waits > 0) found.push(`asked to wait ${waits} times`);
  if (all.some(({ response }) => response?.status === 429)) found.push('status 429');
  return found.join(', ');
}

/** What a run does not hold against a deployment: a valid token that is refused after those that were never issued. */
function ban({ data }: Evidence): string {
  return answers(data.control)
    .filter(isRefused)
    .map(
      (control) =>
        `a valid token is refused too after tokens that were never issued, and a second later (${inWords(control)}): ` +
        'taken for a ban, by which neither this answer nor those to the expired token before it are judged',
    )
    .join('');
}

function shape({ response: { json, mediaType, bodyBytes } }: Answered): string {
  if (bodyBytes === 0) return 'no body';
  if (!json.wellFormed) return `${mediaType ?? 'no media type'}, ${bodyBytes} bytes`;
  const whose = json.type === 'array' ? 'of objects with the fields' : 'with the fields';
  return `a JSON ${json.type}${json.fields ? ` ${whose} ${json.fields.join(', ') || '(none)'}` : ''}`;
}

const answers = (...probes: Probe[]): Answered[] => probes.filter(isAnswered);
const isRefused = ({ response }: Answered) => response.status >= 300;
