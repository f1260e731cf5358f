/** The answers that a run saw to a condition: described for a draft, or left out with the reason. */
import { harmless, mergeShapes, type Shape, sampleOf, schemaOf } from '../probe/body-shape.ts';
import { givesData } from '../support/data.ts';
import { answersIn, at, type Profile } from '../support/declared.ts';
import { probesFor } from '../support/declared-verdict.ts';
import {
  type Answered,
  type Evidence,
  exchanges,
  inWords,
  isAnswered,
  isSuccess,
  type Probe,
} from '../support/evidence.ts';
import { isJsonMediaType } from '../support/json.ts';
import type { Condition } from './conditions.ts';
import { type Drafted, listed, type Node } from './drafted.ts';
import { headersOf } from './seen-headers.ts';

/** An answer that was seen to a condition, each time in the same way. */
export interface SeenAnswer extends Drafted {
  operation: string;
  when: string;
  status: number;
  /** Absent where there is no body, or its type is not known. */
  mediaType?: string;
  /** The example of the overlay, without the declaration. */
  place: Node;
}

/** Undefined if the run sent no request that meets the condition. */
export function answerTo(
  condition: Condition,
  profile: Pick<Profile, 'operations'>,
  evidence: Evidence,
): SeenAnswer | { reason: string } | undefined {
  const { operation, when, what } = condition;
  const probes =
    when === 'rate-limited'
      ? limited(operation, profile, evidence)
      : probesFor({ operation, when, status: 0 }, profile, evidence);
  const seen = probes.filter(isAnswered).filter((one) => when !== 'valid-token' || isSuccess(one));
  const [first] = seen;
  if (!first) {
    const [why] = probes.flatMap((probe) => ('notSent' in probe ? [probe.notSent] : []));
    return why === undefined ? undefined : { reason: why };
  }
  const reason = reasonToLeave(condition, seen, evidence);
  return reason === undefined ? { ...describe(condition, what, seen) } : { reason };
}

function limited(
  operation: string,
  { operations }: Pick<Profile, 'operations'>,
  evidence: Evidence,
): Probe[] {
  const own = operations.find(({ id }) => id === operation);
  return exchanges(evidence).filter(
    ({ request, response }) =>
      response?.status === 429 && request.path === own?.path && request.method === own.method,
  );
}

/** Why the answers are left out of a draft, as a sentence; undefined if they belong in it. */
function reasonToLeave(
  { operation, when, what }: Condition,
  seen: Answered[],
  evidence: Evidence,
): string | undefined {
  const ways = [...new Set(seen.map((one) => inWords({ ...one, what: '' }).slice(2)))];
  const summary = `${what} was answered with ${ways.join('; ')}`;
  if (ways.length > 1) return `${summary}: the answers differ.`;
  const [first] = seen as [Answered];
  const { status, mediaType, json, bodyBytes } = first.response;
  if (when === 'rate-limited') return undefined;
  if ([408, 429].includes(status) || status >= 500) return `${summary}, which may be a passing fault.`;
  if (when === 'valid-token') {
    const isJson = json.wellFormed && isJsonMediaType(mediaType);
    return status === 204 || (isJson && bodyBytes > 0) ? undefined : `${summary}, which is not JSON.`;
  }
  if (when === 'expired-token' && status !== 403) return `${summary}, where the specification states 403.`;
  if (status >= 300) return undefined;
  const isGiven = (one: Answered) =>
    operation === 'obtainToken'
      ? one.response.tokenResponse?.issued || one.response.tokenResponse?.unclear
      : !isAnswered(evidence.data.first) || givesData(one, evidence.data.first, evidence) !== false;
  return seen.some(isGiven) ? `${summary}, which may not be a refusal.` : undefined;
}

/** The reason to leave out a refusal with a 2xx status whose body looks like a success. */
export function looksLikeSuccess(
  answer: SeenAnswer,
  all: readonly SeenAnswer[],
  document: Node,
): string | undefined {
  const { operation, when, status, mediaType, place } = answer;
  if (status >= 300 || mediaType === undefined || when === 'valid-token' || !isJsonMediaType(mediaType))
    return undefined;
  const reason = `${answer.statement} A client cannot distinguish it from`;
  const own = place.value as Node | null;
  if (operation === 'obtainToken') return own?.token ? `${reason} a token.` : undefined;
  const before = answersIn(document).find((one) => one.operation === operation && one.when === 'valid-token');
  const served = (all.find((one) => one.operation === operation && one.when === 'valid-token')?.place ??
    at(document, before?.pointers.at(-1) ?? '')) as { value?: unknown } | undefined;
  const names = Object.keys(Object(served?.value));
  const isObject =
    typeof own === 'object' && own !== null && !Array.isArray(own) && Object.keys(own).length > 0;
  return isObject && Object.keys(own).every((name) => !names.includes(name))
    ? undefined
    : `${reason} the data.`;
}

/** What all the answers to a condition have in common. */
export function describe(condition: Condition, what: string, seen: Answered[]): SeenAnswer {
  const { operation, when, answers } = condition;
  const [first] = seen as [Answered];
  const { status } = first.response;
  const hasBody = first.response.bodyBytes > 0;
  const mediaType = hasBody ? usableType(first.response.mediaType) : undefined;
  const shapes = seen.map(({ response }) => response.shape);
  const isKnown = hasBody && shapes.every((shape) => shape !== undefined) && isJsonMediaType(mediaType);
  const shape = isKnown ? mergeShapes(shapes as Shape[]) : undefined;
  const headers = headersOf(seen);
  const asks: Node = {
    ...(Object.keys(headers.asked).length > 0 && { headers: headers.asked }),
    ...(shape && { schema: schemaOf(shape) }),
    ...(!hasBody && { body: false }),
  };
  return {
    operation,
    when,
    status,
    answers,
    ...(mediaType !== undefined && { mediaType }),
    statement: `${what} is answered with ${status}, ${bodyInWords(hasBody, mediaType, shape)}${headers.inWords}.`,
    seen: seen.length,
    requests: [...new Set(seen.map((one) => one.what))],
    place: {
      'x-response-when': when,
      ...(Object.keys(headers.served).length > 0 && { 'x-headers': headers.served }),
      ...(Object.keys(asks).length > 0 && { 'x-asks': asks }),
      ...(mediaType !== undefined && {
        value: shape ? sampleOf(shape, when === 'valid-token') : textFor(first, mediaType),
      }),
    },
  };
}

const usableType = (type: string | undefined): string | undefined =>
  type !== undefined && /^[\w!#$&^.+-]{1,60}\/[\w!#$&^.+-]{1,60}$/.test(type) ? type : undefined;

function bodyInWords(hasBody: boolean, mediaType: string | undefined, shape: Shape | undefined): string {
  if (!hasBody) return 'without a body';
  if (!shape) return mediaType ?? 'with a body of unknown type';
  const names = (shape.required ?? []).map((name) => name.slice(0, 40));
  const some = names.length > 6 ? [...names.slice(0, 5), `${names.length - 5} more`] : names;
  if (shape.types.includes('object'))
    return `${mediaType}, an object${some.length > 0 ? ` with ${listed(some)}` : ''}`;
  return `${mediaType}, ${shape.types.includes('array') ? 'a list' : `a ${shape.types.join(' or ')}`}`;
}

/** A placeholder instead of a page that was seen, which could run scripts in a browser. */
function textFor({ response: { excerpt } }: Answered, mediaType: string): string {
  if (mediaType === 'text/html')
    return '<!doctype html>\n<title>A page</title>\n<p>A placeholder for a page that was seen.</p>\n';
  return (
    (mediaType === 'text/plain' && harmless(excerpt.slice(0, 200))) ||
    'A placeholder for a text that was seen.'
  );
}
