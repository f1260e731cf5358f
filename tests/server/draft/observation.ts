/** What `mrs observe` prints and leaves: the draft, the questions, and what to do next. */

import type { Publisher } from '../../report/publish.ts';
import { several } from '../../report/text.ts';
import { wrap } from '../../report/wrap.ts';
import type { Report } from '../report/report.ts';
import { contractDocument } from '../support/contract.ts';
import { declaredRequirements, type Profile } from '../support/declared.ts';
import type { Evidence } from '../support/evidence.ts';
import { type Draft, draftProfile } from './draft.ts';
import { writeDraft } from './draft-text.ts';
import { questionsOf, writeQuestions } from './questions.ts';

const WIDTH = 80;
const INDENT = 12;

export interface DraftPaths {
  draft: string;
  questions: string;
  /** The profile of the run, as the draft can name it. */
  buildsOn?: string | undefined;
}

export interface Observation {
  draft: Draft;
  /** In 80 columns: what was learnt, where the files are, what to do next. */
  text: string;
  /** For another output to begin with. */
  inShort: string;
}

/** Writes both files by `publisher`; of what was too little, neither. */
export function leaveObservation(
  report: Report,
  evidence: Evidence,
  place: DraftPaths,
  publisher: Publisher,
  profile?: Profile,
): Observation {
  const document = profile?.document ?? contractDocument;
  const draft = draftProfile({ evidence, document, profile, buildsOn: place.buildsOn });
  if (!draft.tooLittle) {
    publisher.write(place.draft, writeDraft(draft));
    publisher.write(place.questions, writeQuestions(report, draft, profile));
  }
  const inShort = draft.tooLittle
    ? `No draft was written. ${draft.tooLittle}`
    : `${several(draft.drafted.length, 'statement')} drafted: ${place.draft}, with questions in ${place.questions}`;
  return {
    draft,
    inShort: wrap(inShort, WIDTH).join('\n'),
    text: renderObservation(report, draft, place, profile),
  };
}

export function renderObservation(
  report: Report,
  draft: Draft,
  place: DraftPaths,
  profile?: Profile,
): string {
  const { target, requests, durationMs, requirements } = report;
  const entry = (id: string, text: string) => {
    const [first = '', ...rest] = wrap(text, WIDTH - INDENT);
    return [`· ${id.padEnd(INDENT - 2)}${first}`, ...rest.map((line) => ' '.repeat(INDENT) + line)];
  };
  const head = [
    '',
    ...wrap(target.baseUrl, WIDTH),
    ...wrap(`client ${target.clientId}, ${requests} requests in ${(durationMs / 1000).toFixed(1)} s`, WIDTH),
    '',
  ];
  if (draft.tooLittle)
    return [...head, ...wrap(`Too little was seen for a draft. ${draft.tooLittle}`, WIDTH)].join('\n');
  const broken = requirements.filter(({ verdict }) => verdict === 'failed');
  const known = profile ? declaredRequirements(profile) : [];
  const questions = questionsOf(report, draft, profile).length;
  const file = (what: string, path: string, more = '') => [
    `${what.padEnd(INDENT)}${path}`,
    ...(more ? [' '.repeat(INDENT) + more] : []),
  ];
  return [
    ...head,
    ...wrap(
      `Drafted: ${several(draft.drafted.length, 'statement')} on what the specification leaves open`,
      WIDTH,
    ),
    ...draft.drafted.flatMap(({ answers, statement, seen }) =>
      entry(answers, `${statement} (seen ${seen === 1 ? 'once' : `${seen} times`})`),
    ),
    ...(known.length > 0
      ? [
          '',
          ...wrap(
            `The profile ${profile?.name} says already: ${known.map(({ id }) => id.split('@')[0]).join(', ')}`,
            WIDTH,
          ),
        ]
      : []),
    ...(draft.left.length > 0 ? ['', 'Left out'] : []),
    ...draft.left.flatMap(({ answers, reason }) => entry(answers, reason)),
    ...(broken.length > 0 ? ['', 'Otherwise than the specification states, which no draft changes'] : []),
    ...broken.flatMap(({ id, evidence }) =>
      entry(id, `expected ${evidence.expected}; seen: ${evidence.seen}`),
    ),
    '',
    ...file('draft', place.draft),
    ...file('questions', place.questions, `${several(questions, 'open point')} to ask the operator about`),
    ...file('next', `mrs verify --profile ${place.draft}`),
  ].join('\n');
}
