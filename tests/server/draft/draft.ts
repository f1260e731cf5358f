/** What a run saw of the open points, as the draft of a profile: an OpenAPI Overlay of the contract. */
import { offersTokens, operationsIn, type Profile } from '../support/declared.ts';
import { type Evidence, inWords, isAnswered, isSuccess, type Probe } from '../support/evidence.ts';
import { CONDITIONS } from './conditions.ts';
import type { Drafted, LeftOut, Node } from './drafted.ts';
import { healthActions, healthChecks } from './health-checks.ts';
import { notesOn } from './notes.ts';
import { actionsFor } from './overlay-actions.ts';
import { answerTo, looksLikeSuccess } from './seen-answers.ts';

export interface Draft {
  /** Absent where too little was seen: why, as a sentence. */
  tooLittle?: string;
  overlay: Node;
  drafted: Drafted[];
  /** What was seen and is not judged, as sentences. */
  notes: string[];
  left: LeftOut[];
}

export interface DraftInput {
  evidence: Evidence;
  /** The contract that the draft is about: openapi.yaml, with what the profile of the run declares. */
  document: Node;
  profile?: Profile | undefined;
  /** The profile of the run, by the name or the file that the draft can find it under. */
  buildsOn?: string | undefined;
}

/** Never throws: what cannot be drafted is left, with the reason. */
export function draftProfile({ evidence, document, profile, buildsOn }: DraftInput): Draft {
  const operations = operationsIn(document);
  const day = evidence.startedAt.slice(0, 10);
  const source = `observed at ${evidence.target.baseUrl} on ${day}`;
  const declared = new Set(profile?.declarations.map(({ answers }) => answers));
  const left: LeftOut[] = [];
  const answers = CONDITIONS.filter((one) => !declared.has(one.answers)).flatMap((condition) => {
    if (!operations.some(({ id }) => id === condition.operation)) return [];
    const answer = answerTo(condition, { operations }, evidence);
    if (answer && 'reason' in answer) left.push({ answers: condition.answers, reason: answer.reason });
    return answer && 'place' in answer ? [answer] : [];
  });
  const kept = answers.filter((answer) => {
    const reason = looksLikeSuccess(answer, answers, document);
    if (reason) left.push({ answers: answer.answers, reason });
    return !reason;
  });
  const parts = operations
    .filter(({ id }) => !id.startsWith('checkHealth'))
    .map(({ id, pointer }) => ({ pointer, own: kept.filter(({ operation }) => operation === id) }))
    .filter(({ own }) => own.length > 0);
  const health = declared.has('MRS-4.3c') ? [] : healthChecks(evidence, left);
  const lifetime = declared.has('MRS-5e') ? undefined : lifetimeIn(evidence);
  const annotate = ({ answers: point, statement, seen, requests }: Drafted) => ({
    'x-declared': { answers: point, statement, source },
    'x-evidence': { seen, requests },
  });
  const notes = notesOn(evidence);
  const tooLittle = whyTooLittle(evidence);

  const actions = [
    { target: '$', update: { 'x-draft': { observed: evidence.target.baseUrl, on: day } } },
    ...parts.flatMap(({ pointer, own }) => actionsFor(document, pointer, own, annotate)),
    ...(health.length === 0 ? [] : healthActions(document, health, annotate)),
    ...(lifetime
      ? [
          {
            target: '$.components.securitySchemes.accessToken',
            update: { 'x-token-lifetime-seconds': lifetime.seconds, ...annotate(lifetime) },
          },
        ]
      : []),
  ];
  return {
    ...(tooLittle && { tooLittle }),
    overlay: {
      overlay: '1.0.0',
      info: { title: `Draft: what ${evidence.target.baseUrl} showed`, version: day },
      ...(buildsOn !== undefined && { 'x-builds-on': buildsOn }),
      ...(notes.length > 0 && { 'x-notes': notes }),
      actions,
    },
    drafted: [...kept, ...health.flatMap(({ facts }) => facts), ...(lifetime ? [lifetime] : [])],
    notes,
    left,
  };
}

/** Where a token was accepted until shortly before its end, and refused after it. */
function lifetimeIn({ expiry, data }: Evidence): (Drafted & { seconds: number }) | undefined {
  if ((expiry.kind !== 'clock' && expiry.kind !== 'waited') || expiry.late) return undefined;
  const { late, expiredToken } = data;
  if (!isAnswered(late) || !isSuccess(late) || !isAnswered(expiredToken)) return undefined;
  if (expiredToken.response.status < 300 || expiredToken.response.status >= 500) return undefined;
  const seconds = expiry.lifetimeSeconds;
  return {
    answers: 'MRS-5e',
    statement: `A token lives ${seconds} s.`,
    seconds,
    seen: 1,
    requests: [late.what, expiredToken.what],
  };
}

function whyTooLittle({ token, data, profile }: Evidence): string | undefined {
  const reason = (probe: Probe, what: string) =>
    `${what}: ${isAnswered(probe) ? inWords(probe) : 'notSent' in probe ? probe.notSent : `the deployment ${probe.failure}`}.`;
  if (offersTokens(profile) && !(isAnswered(token.valid) && token.valid.response.tokenResponse?.issued))
    return reason(token.valid, 'No token was obtained');
  if (!isAnswered(data.first)) return reason(data.first, 'The data was not received');
  return undefined;
}
