/** What a run leaves for people next to a draft: questions to the operator, and a text in the terminal. */
import { code } from '../../report/markdown.ts';
import type { Publisher } from '../../report/publish.ts';
import type { Report } from '../../report/report.ts';
import { entry, WIDTH } from '../../report/terminal.ts';
import { clip, inOneLine, several } from '../../report/text.ts';
import { wrap } from '../../report/wrap.ts';
import { declaredRequirements, type Profile } from '../profile.ts';
import { observeOpenPoints } from '../report/open-points.ts';
import { contractDocument } from '../support/contract.ts';
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
  const {
    target: { baseUrl, clientId },
    requests,
    durationMs,
  } = evidence;
  const seconds = (durationMs / 1000).toFixed(1);
  const document = profile?.document ?? contractDocument;
  const draft = draftProfile({ evidence, document, profile, buildsOn: place.buildsOn });
  const { drafted, left, tooLittle } = draft;
  const sentences = (list: string[]) => list.flatMap((one) => wrap(one, WIDTH));
  const head = ['', ...sentences([baseUrl, `client ${clientId}, ${requests} requests in ${seconds} s`]), ''];
  if (tooLittle !== undefined)
    return {
      isDrafted: false,
      text: [...head, ...sentences([`Too little was seen for a draft. ${tooLittle}`])].join('\n'),
    };
  const questions = questionsOf(evidence, draft, profile);
  publisher.write(place.draft, writeDraft(draft));
  publisher.write(place.questions, writeQuestions(report, evidence, draft, questions));

  const known = profile ? declaredRequirements(profile).map(({ id }) => id.split('@')[0]) : [];
  const broken = failuresIn(report);
  const section = (title: string, entries: [id: string, text: string][]) =>
    entries.length === 0
      ? []
      : [...sentences([title]), ...entries.flatMap(([id, text]) => entry('·', id, text)), ''];
  const count = several(drafted.length, 'statement');
  const times = (seen: number) => (seen === 1 ? 'once' : `${seen} times`);
  const lines = [
    ...head,
    ...section(
      `Drafted: ${count} on what the specification leaves open`,
      drafted.map(({ answers, statement, seen }) => [answers, `${statement} (seen ${times(seen)})`]),
    ),
    ...(known.length > 0
      ? sentences([`The profile ${profile?.name} declares already: ${known.join(', ')}`, ''])
      : []),
    ...section(
      'Left out',
      left.map(({ answers, reason }) => [answers, reason]),
    ),
    ...section(
      'Differs from the specification, and is not drafted',
      broken.map(({ id, expected, seen }) => [id, `expected ${expected}; seen: ${seen}`]),
    ),
    `draft       ${place.draft}`,
    `questions   ${place.questions}`,
    `            ${several(questions.length, 'open point')} to ask the operator about`,
    `next        mrs verify --profile ${place.draft}`,
  ];
  return { isDrafted: true, text: lines.join('\n') };
}

const failuresIn = ({ items }: Report) => items.filter(({ verdict }) => verdict === 'failed');

/** By open point, in words for an operator who has not read the specification. */
const QUESTIONS: Record<string, string> = {
  'MRS-1.5a': 'What is the service for, in addition to serving mitigation requests?',
  'MRS-1.5b': 'Where do the mitigation requests come from: who or what creates them, and how often?',
  'MRS-2b':
    'Which fields does a mitigation request have, with their types, units and ranges? Which can be absent or null?',
  'MRS-2c': 'Which other resources can a client read?',
  'MRS-3a':
    'Does a mitigation request have a state, such as planned, active or withdrawn? Which states exist?',
  'MRS-3b': 'What moves a mitigation request from one state to another, and can a client see that?',
  'MRS-4.2d': 'Does the data endpoint take query parameters? Which, and what happens with an unknown one?',
  'MRS-4.2e': 'Is the data paginated? How does a client request the next page, and how large is a page?',
  'MRS-4.2f': 'Can a client request a part of the data, for example by site, time or frequency?',
  'MRS-4.2g':
    'What does the data look like as JSON: an object with a list, or only a list? What is it if there are no records?',
  'MRS-4.3c': 'What are the paths of the health checks?',
  'MRS-4.3d': 'Which methods do the health checks accept: GET, HEAD, POST?',
  'MRS-4.3e': 'What do the health checks answer if the service is healthy, and if it is not?',
  'MRS-4.4': 'Which other endpoints exist, for example to create or change mitigation requests?',
  'MRS-5d': 'What are the scopes called, and which one does a client need to read the data?',
  'MRS-5e': 'How many seconds does a token of this client live?',
  'MRS-6': 'Does the service notify clients of changes: events, webhooks, notifications?',
  'MRS-7c':
    'What does the body of the 403 for an expired token look like, and how does a client distinguish it from another 403?',
  'MRS-7d':
    'Which error codes exist, and what does each mean? What is the answer to a form that lacks a field?',
  'MRS-7e': 'What is the answer to a request without a token: status, headers, body?',
  'MRS-7f': 'What is the answer to a malformed token, and to one that was never issued?',
  'MRS-7g': 'What is the answer to a wrong client_id or client_secret? After how many is a client locked?',
  'MRS-7h':
    'What is the answer to a client that lacks the scope? If it is 403 too, how does a client distinguish it from an expired token?',
  'MRS-8a':
    'How many requests may a client send, and in what time? What is the answer to more: 429, with Retry-After?',
  'MRS-8b': 'How large may a request be, and how large can a response be?',
  'MRS-8c': 'What are the longest and the shortest token lifetime that can be agreed?',
  'MRS-9': 'How is the interface versioned, and how do clients learn about a change?',
};

/** One for each open point that neither the draft nor the profile of the run answers, with what the run saw of it. */
function questionsOf(evidence: Evidence, { drafted, left }: Draft, profile?: Profile): string[] {
  const answered = new Set([...drafted, ...(profile?.declarations ?? [])].map(({ answers }) => answers));
  return observeOpenPoints(evidence).flatMap(({ id, statement, observed }) => {
    const isOpen = !answered.has(id);
    const reasons = left.filter(({ answers }) => answers === id).map(({ reason }) => reason);
    if (!isOpen && reasons.length === 0) return [];
    const seen = observed !== undefined && isOpen ? [`Seen: ${observed}.`] : [];
    return [`**${id}** ${[QUESTIONS[id] ?? statement, ...seen, ...reasons].join(' ')}`];
  });
}

/** A page of Markdown. */
export function writeQuestions(
  report: Report,
  evidence: Evidence,
  { drafted }: Draft,
  questions: string[],
): string {
  const untried = report.items.filter(({ id, verdict }) => verdict === 'could-not-run' && !id.includes('@'));
  const section = (title: string, introduction: string, items: string[]) =>
    items.length === 0
      ? []
      : ['', `## ${title}`, '', introduction, '', ...items.map((item) => `- ${plain(item)}`)];
  return [
    `# Questions to the operator of ${plain(evidence.target.baseUrl)}`,
    `A run on ${evidence.startedAt.slice(0, 10)} saw these things, or could not see them.`,
    ...section(
      'What differs from the specification',
      'The draft does not include these: a profile declares only what the specification leaves open.',
      failuresIn(report).map(
        ({ id, statement, expected, seen }) =>
          `**${id}** ${statement} Expected ${expected}. Seen: ${seen}. Will that be changed?`,
      ),
    ),
    ...section(
      'What could not be tried',
      'The service must keep these, and the run could not check them.',
      untried.map(({ id, statement, reason = '' }) => `**${id}** ${statement} ${reason}`),
    ),
    ...section(
      'What is open',
      'The specification leaves these to the service, and the run did not show them.',
      questions,
    ),
    ...section(
      'What was seen once',
      'Is this intended, or was it chance?',
      drafted.filter(({ seen }) => seen === 1).map(({ answers, statement }) => `**${answers}** ${statement}`),
    ),
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
