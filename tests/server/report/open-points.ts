/** What a run saw of the points that the specification leaves open. Observed, never judged. */
import { ledger } from '../../support/requirements.ts';
import { requests } from '../requests.ts';
import {
  type Answered,
  type Evidence,
  exchanges,
  inWords,
  isAnswered,
  isRefused,
  isServed,
  type Probe,
  type Probes,
} from '../support/evidence.ts';

interface ObservedPoint {
  id: string;
  statement: string;
  /** In words; undefined if nothing that was sent would show it. */
  observed: string | undefined;
}

export const observeOpenPoints = (evidence: Evidence): ObservedPoint[] =>
  ledger
    .filter(({ kind }) => kind === 'open')
    .map(({ id, statement }) => {
      const [observe = () => [], separator = '; '] = OBSERVERS[id] ?? [];
      return { id, statement, observed: observe(evidence).join(separator) || undefined };
    });

type Observe = (evidence: Evidence) => (string | number)[];

const answers = (...probes: (Probe | undefined)[]): Answered[] => probes.filter(isAnswered);
const answersTo = ({ probes }: Evidence, ...keys: (keyof Probes)[]) =>
  answers(...keys.map((key) => probes[key]));
const healthChecks = ({ health }: Evidence) => answers(...health.map(({ plain }) => plain));
const lineOf = ({ request: { method, path }, response: { status } }: Answered) =>
  `${method} ${path}: ${status}`;

/** A token that was refused shortly before its agreed lifetime ended. */
const early: Observe = (evidence) =>
  answersTo(evidence, 'data.late')
    .filter(isRefused)
    .map((late) => `refused before the agreed lifetime had passed: ${inWords(late)}`);

const lifetime: Observe = (evidence) => {
  const { expiry } = evidence;
  const isKnown = expiry.kind === 'waited' && early(evidence).length === 0;
  if (!isKnown || !answersTo(evidence, 'data.expiredToken').some(isRefused)) return [];
  return [`agreed ${expiry.lifetimeSeconds} s; refused at the age of ${expiry.ageSeconds} s`];
};

/** What a second token does to the first. An expired token need not be known as one once a newer token has ended it. */
const succession: Observe = (evidence) => {
  const { tokenRepeats } = evidence;
  if (tokenRepeats === undefined) return [];
  if (tokenRepeats) return ['a live token is issued again'];
  return answersTo(evidence, 'open.tokenBefore').flatMap((before) => {
    if (isServed(before)) return ['a newer token does not invalidate the one before'];
    if (!isRefused(before)) return [];
    const later = ['data.expiredAgain', 'data.expiredLater', 'data.expiredLast'] as const;
    const others = answersTo(evidence, ...later).filter(
      (one) => isRefused(one) && one.response.status !== 403,
    );
    const unjudged = others.slice(0, 1).map((one) => `so this answer is not judged: ${inWords(one)}`);
    return ['a newer token invalidates the one before', ...unjudged];
  });
};

const rateLimits: Observe = (evidence) => {
  const all = exchanges(evidence);
  const names = all.flatMap(({ response }) => (response?.headers ?? []).map(([name]) => name));
  const waits = all.filter(({ waitedSeconds }) => waitedSeconds !== undefined).length;
  const found = [
    ...new Set(names.filter((name) => /^(retry-after|(x-)?rate-?limit\b.*)$/.test(name))),
    ...(waits > 0 ? [`asked to wait ${waits} times`] : []),
    ...(all.some(({ response }) => response?.status === 429) ? ['status 429'] : []),
  ];
  return found.length > 0 ? [found.join(', ')] : [];
};

/** What a run does not hold against a deployment: a valid token that is refused after those that were never issued. */
const ban: Observe = (evidence) =>
  answersTo(evidence, 'data.control')
    .filter(isRefused)
    .map(
      (control) =>
        `a valid token is refused too after tokens that were never issued, and a second later (${inWords(control)}): ` +
        'taken for a ban, by which neither this answer nor those to the expired token before it are judged',
    );

/** By open point: what to say of it, and what is between two of those. */
const OBSERVERS: Record<string, [observe: Observe, separator?: string]> = {
  'MRS-4.2g': [(evidence) => answersTo(evidence, 'data.first').map(shape)],
  'MRS-4.3c': [(evidence) => healthChecks(evidence).map(({ request }) => request.path), ', '],
  'MRS-4.3d': [(evidence) => healthChecks(evidence).map(lineOf)],
  'MRS-4.3e': [(evidence) => healthChecks(evidence).map(shape)],
  'MRS-4.4': [
    (evidence) =>
      answersTo(evidence, 'open.head', 'open.options', 'open.withoutSlash').map((one) => {
        const allow = one.response.headers.find(([name]) => name === 'allow')?.[1];
        return lineOf(one) + (allow === undefined ? '' : ` (allow: ${allow})`);
      }),
  ],
  'MRS-5e': [(evidence) => [early, lifetime, succession].flatMap((observe) => observe(evidence))],
  'MRS-7c': [(evidence) => answersTo(evidence, 'data.expiredToken').filter(isRefused).map(shape)],
  'MRS-7d': [
    (evidence) => {
      const keys = requests.flatMap(({ key }) => (key.startsWith('open.') ? [] : key));
      const statuses = answersTo(evidence, ...keys).map(({ response }) => response.status);
      return [...new Set(statuses)].filter((status) => status >= 300).sort();
    },
    ', ',
  ],
  'MRS-7e': [(evidence) => answersTo(evidence, 'data.withoutToken').map(inWords)],
  'MRS-7f': [
    (evidence) =>
      answersTo(evidence, 'data.malformedToken', 'data.unknownToken', 'data.alteredToken').map(inWords),
  ],
  'MRS-7g': [
    (evidence) => answersTo(evidence, 'token.unknownClientId', 'token.cutClientSecret').map(inWords),
  ],
  'MRS-8a': [(evidence) => [rateLimits, ban].flatMap((observe) => observe(evidence))],
  'MRS-8c': [lifetime],
};

function shape({ response: { json, mediaType, bodyBytes } }: Answered): string {
  if (bodyBytes === 0) return 'no body';
  if (!json.wellFormed) return `${mediaType ?? 'no media type'}, ${bodyBytes} bytes`;
  const whose = json.type === 'array' ? 'of objects with the fields' : 'with the fields';
  return `a JSON ${json.type}${json.fields ? ` ${whose} ${json.fields.join(', ') || '(none)'}` : ''}`;
}
