/** What a run saw of the points that the specification leaves open. Observed, never judged. */
import { ledger } from '../../support/requirements.ts';
import { requests } from '../requests.ts';
import {
  type Answered,
  bodyInWords,
  type Evidence,
  exchanges,
  inWords,
  isAnswered,
  isRefused,
  isServed,
  type Probe,
  type Probes,
} from '../support/evidence.ts';

/** Each open point, and what was observed of it, in words; undefined if no request of the run shows it. */
export const observeOpenPoints = (evidence: Evidence) =>
  ledger
    .filter(({ kind }) => kind === 'open')
    .map(({ id, statement, question = statement }) => {
      const observed = OBSERVERS[id]?.(evidence).join('; ') || undefined;
      return { id, statement, question, observed };
    });

type Observe = (evidence: Evidence) => (string | number)[];

const answers = (...probes: (Probe | undefined)[]): Answered[] => probes.filter(isAnswered);
const answersTo = ({ probes }: Evidence, ...keys: (keyof Probes)[]) =>
  answers(...keys.map((key) => probes[key]));
const refusalsOf = (evidence: Evidence, ...keys: (keyof Probes)[]) =>
  answersTo(evidence, ...keys).filter(isRefused);
const healthChecks = ({ health }: Evidence) => answers(...health.map(({ plain }) => plain));
const bodyOf = ({ response }: Answered) => bodyInWords(response);
const lineOf = ({ request: { method, path }, response: { status } }: Answered) =>
  `${method} ${path}: ${status}`;

const lifetime: Observe = (evidence) => {
  const { expiry } = evidence;
  const early = refusalsOf(evidence, 'data.late').map((late) => `refused before its end: ${inWords(late)}`);
  const isKnown = expiry.kind === 'waited' && refusalsOf(evidence, 'data.expiredToken').length > 0;
  if (early.length > 0 || !isKnown) return early;
  return [`agreed ${expiry.lifetimeSeconds} s; refused at the age of ${expiry.ageSeconds} s`];
};

/** What a second token does to the first. */
const succession: Observe = (evidence) => {
  const { tokenRepeats } = evidence;
  if (tokenRepeats === undefined) return [];
  if (tokenRepeats) return ['a live token is issued again'];
  const [before] = answersTo(evidence, 'open.tokenBefore').filter((one) => isServed(one) || isRefused(one));
  if (!before) return [];
  return [`a newer token ${isServed(before) ? 'does not invalidate' : 'invalidates'} the one before`];
};

const rateLimits: Observe = (evidence) => {
  const all = exchanges(evidence);
  const names = all.flatMap(({ response }) => (response?.headers ?? []).map(([name]) => name));
  const waits = all.filter(({ waitedSeconds }) => waitedSeconds !== undefined).length;
  return [
    ...new Set(names.filter((name) => /^(retry-after|(x-)?rate-?limit\b.*)$/.test(name))),
    ...(waits > 0 ? [`asked to wait ${waits} times`] : []),
    ...(all.some(({ response }) => response?.status === 429) ? ['status 429'] : []),
  ];
};

/** By open point: what to say of it. */
const OBSERVERS: Record<string, Observe> = {
  'MRS-4.2g': (evidence) => answersTo(evidence, 'data.first').map(bodyOf),
  'MRS-4.3c': (evidence) => healthChecks(evidence).map(({ request }) => request.path),
  'MRS-4.3d': (evidence) => healthChecks(evidence).map(lineOf),
  'MRS-4.3e': (evidence) => healthChecks(evidence).map(bodyOf),
  'MRS-4.4': (evidence) => answersTo(evidence, 'open.options').map(lineOf),
  'MRS-5e': (evidence) => [...lifetime(evidence), ...succession(evidence)],
  'MRS-7c': (evidence) => refusalsOf(evidence, 'data.expiredToken').map(bodyOf),
  'MRS-7d': (evidence) => {
    const keys = requests.flatMap(({ key }) => (key.startsWith('open.') ? [] : key));
    const statuses = answersTo(evidence, ...keys).map(({ response }) => response.status);
    return [...new Set(statuses)].filter((status) => status >= 300).sort();
  },
  'MRS-7e': (evidence) => answersTo(evidence, 'data.withoutToken').map(inWords),
  'MRS-7f': (evidence) =>
    answersTo(evidence, 'data.malformedToken', 'data.unknownToken', 'data.alteredToken').map(inWords),
  'MRS-7g': (evidence) => answersTo(evidence, 'token.unknownClientId', 'token.cutClientSecret').map(inWords),
  'MRS-8a': rateLimits,
  'MRS-8c': lifetime,
};
