/** What a run leaves for people next to a draft: questions to the operator, and a text in the terminal. */
import { code } from '../../report/markdown.ts';
import type { Publisher } from '../../report/publish.ts';
import type { Report } from '../../report/report.ts';
import { entry, WIDTH } from '../../report/terminal.ts';
import { clip, inOneLine, several, wrap } from '../../report/text.ts';
import { ledger } from '../../support/requirements.ts';
import type { Profile } from '../profile.ts';
import { observeOpenPoints } from '../report/open-points.ts';
import type { Evidence } from '../support/evidence.ts';
import { type Draft, draftProfile, writeDraft } from './draft.ts';

export interface DraftPaths {
  draft: string;
  questions: string;
  /** The profile of the run, as the draft can name it. */
  buildsOn?: string | undefined;
}

export interface Observation {
  /** Whether a draft was written. */
  isDrafted: boolean;
  /** In 80 columns: what was seen, where the files are, what to do next. */
  text: string;
}

/** Writes both files by `publisher`, unless too little was seen. */
export function leaveObservation(
  report: Report,
  evidence: Evidence,
  place: DraftPaths,
  publisher: Publisher,
  profile?: Profile,
): Observation {
  const draft = draftProfile({ evidence, profile, buildsOn: place.buildsOn });
  const { drafted, left, tooLittle } = draft;
  const { target, requests } = evidence;
  const head = `${target.baseUrl}: ${several(requests, 'request')} as client ${target.clientId}`;
  if (tooLittle !== undefined) {
    const sentences = [head, `Too little was seen for a draft. ${tooLittle}`];
    return { isDrafted: false, text: sentences.flatMap((one) => wrap(one, WIDTH)).join('\n') };
  }
  const questions = questionsOf(evidence, draft, profile);
  publisher.write(place.draft, writeDraft(draft));
  publisher.write(place.questions, writeQuestions(report, evidence, questions));
  const section = (title: string, entries: (readonly [id: string, text: string])[]) =>
    entries.length === 0 ? [] : [title, ...entries.flatMap(([id, text]) => entry('·', id, text)), ''];
  const lines = [
    ...['', ...wrap(head, WIDTH), ''],
    ...section(
      `Drafted: ${several(drafted.length, 'statement')} on what the specification leaves open`,
      drafted.map(({ answers, statement, seen }) => [answers, `${statement} (seen: ${seen})`]),
    ),
    ...section(
      'Left out',
      left.map(({ answers, reason }) => [answers, reason]),
    ),
    ...section(
      'Differs from the specification, and is not drafted',
      failuresIn(report).map(({ id, expected, seen }) => [id, `expected ${expected}; seen: ${seen}`]),
    ),
    `draft       ${place.draft}`,
    `questions   ${place.questions} (${several(questions.length, 'open point')})`,
    `next        mrs verify --profile ${place.draft}`,
  ];
  return { isDrafted: true, text: lines.join('\n') };
}

const failuresIn = ({ items }: Report) => items.filter(({ verdict }) => verdict === 'failed');

/** One for each open point that neither the draft nor the profile of the run answers, with what the run saw of it. */
function questionsOf(evidence: Evidence, { drafted, left }: Draft, profile?: Profile): string[] {
  const answered = new Set([...drafted, ...(profile?.declarations ?? [])].map(({ answers }) => answers));
  return observeOpenPoints(evidence).flatMap(({ id, statement, observed }) => {
    const isOpen = !answered.has(id);
    const reasons = left.filter(({ answers }) => answers === id).map(({ reason }) => reason);
    if (!isOpen && reasons.length === 0) return [];
    const seen = observed !== undefined && isOpen ? [`Seen: ${observed}.`] : [];
    const { question = statement } = ledger.find((row) => row.id === id) ?? {};
    return [`**${id}** ${[question, ...seen, ...reasons].join(' ')}`];
  });
}

/** A page of Markdown. */
export function writeQuestions(report: Report, evidence: Evidence, questions: string[]): string {
  const untried = report.items.filter(({ id, verdict }) => verdict === 'could-not-run' && !id.includes('@'));
  const section = (title: string, items: string[]) =>
    items.length === 0 ? [] : ['', `## ${title}`, '', ...items.map((item) => `- ${plain(item)}`)];
  return [
    `# Questions to the operator of ${plain(evidence.target.baseUrl)}`,
    `After a run on ${evidence.startedAt.slice(0, 10)}.`,
    ...section(
      'This differs from the specification. Will it be changed?',
      failuresIn(report).map(
        ({ id, statement, expected, seen }) => `**${id}** ${statement} Expected ${expected}. Seen: ${seen}.`,
      ),
    ),
    ...section(
      'The run could not test this. Does the service comply?',
      untried.map(({ id, statement, reason = '' }) => `**${id}** ${statement} ${reason}`),
    ),
    ...section('The specification leaves this to the service. What does it do?', questions),
    '',
  ].join('\n');
}

/** One line in which nothing that came from outside is Markdown, HTML or a link. */
const plain = (text: string): string =>
  clip(inOneLine(text), 600)
    .split(/(\s+)/)
    .map((word) => (LINK.test(word) ? code(word) : word.replace(/[<>[\]`]/g, '\\$&')))
    .join('');

/** What GitHub-flavoured Markdown makes a link of by itself. An escape does not prevent that everywhere; code does. */
const LINK = /www\.|:\/\/|@|mailto:|xmpp:/i;
