/** What a run saw that no profile can declare, as sentences for the reader of a draft. */
import { harmless } from '../probe/body-shape.ts';
import { type Evidence, exchanges, inWords, isAnswered } from '../support/evidence.ts';
import { listed } from './drafted.ts';

export function notesOn(evidence: Evidence): string[] {
  const { open, data } = evidence;
  const asked = [
    open.head,
    open.options,
    open.withoutSlash,
    data.otherScheme,
    data.alteredToken,
    open.tokenBefore,
  ];
  const limits = exchanges(evidence)
    .flatMap(({ response }) => response?.headers ?? [])
    .map(([name]) => name)
    .filter((name) => /^(x-)?rate-?limit\b[\w-]*$/.test(name));
  const waits = exchanges(evidence).filter(({ waitedSeconds }) => waitedSeconds !== undefined).length;
  const allow = isAnswered(open.options)
    ? open.options.response.headers.find(([name]) => name === 'allow')?.[1]
    : undefined;
  return [
    ...asked.filter(isAnswered).map((one) => `${inWords(one)}.`),
    ...(allow === undefined ? [] : [`It says that the data allows ${harmless(allow)}.`]),
    ...(limits.length > 0 ? [`Answers have the headers ${listed([...new Set(limits)].sort())}.`] : []),
    ...(waits > 0 ? ['It asked to wait before it answered (Retry-After).'] : []),
  ].map((note) => note.slice(0, 300));
}
