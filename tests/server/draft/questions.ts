/** What a run could not see of a deployment, as questions to its operator: a page of Markdown. */

import { code } from '../../report/markdown-text.ts';
import { clip, inOneLine } from '../../report/text.ts';
import type { Report } from '../report/report.ts';
import type { Profile } from '../support/declared.ts';
import type { Draft } from './draft.ts';

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

export interface Question {
  id: string;
  question: string;
  /** What the run saw of it, and why that is not enough. */
  seen: string[];
}

/** One for each open point that neither the draft nor the profile of the run answers. */
export function questionsOf(report: Report, draft: Draft, profile?: Profile): Question[] {
  const answered = new Set(
    [...draft.drafted, ...(profile?.declarations ?? [])].map(({ answers }) => answers),
  );
  const reasons = (id: string) =>
    draft.left.filter(({ answers }) => answers === id).map(({ reason }) => reason);
  return report.openPoints
    .filter(({ id }) => !answered.has(id) || reasons(id).length > 0)
    .map(({ id, statement, observed }) => ({
      id,
      question: QUESTIONS[id] ?? statement,
      seen: [...(observed !== null && !answered.has(id) ? [`Seen: ${observed}.`] : []), ...reasons(id)],
    }));
}

export function writeQuestions(report: Report, draft: Draft, profile?: Profile): string {
  const { target, requirements, startedAt } = report;
  const broken = requirements.filter(({ verdict }) => verdict === 'failed');
  const open = requirements.filter(({ verdict, kind }) => verdict === 'could-not-run' && kind !== 'declared');
  const once = draft.drafted.filter(({ seen }) => seen === 1);
  const questions = questionsOf(report, draft, profile);
  return [
    `# Questions to the operator of ${plain(target.baseUrl)}`,
    `A run on ${startedAt.slice(0, 10)} saw these things, or could not see them.`,
    ...section(
      'What differs from the specification',
      'The draft does not include these: a profile declares only what the specification leaves open.',
      broken.map(
        ({ id, statement, evidence }) =>
          `**${id}** ${statement} Expected ${evidence.expected}. Seen: ${evidence.seen}. Will that be changed?`,
      ),
    ),
    ...section(
      'What could not be tried',
      'The service must keep these, and the run could not check them.',
      open.map(({ id, statement, evidence }) => `**${id}** ${statement} ${evidence.reason ?? ''}`),
    ),
    ...section(
      'What is open',
      'The specification leaves these to the service, and the run did not show them.',
      questions.map(({ id, question, seen }) => [`**${id}** ${question}`, ...seen].join(' ')),
    ),
    ...section(
      'What was seen once',
      'Is this intended, or was it chance?',
      once.map(({ answers, statement }) => `**${answers}** ${statement}`),
    ),
    '',
  ].join('\n');
}

function section(title: string, introduction: string, items: readonly string[]): string[] {
  if (items.length === 0) return [];
  return ['', `## ${title}`, '', introduction, '', ...items.map((item) => `- ${plain(item)}`)];
}

/** One line in which nothing that came from outside is Markdown, HTML or a link. */
const plain = (text: string): string =>
  clip(inOneLine(text), 600)
    .split(/(\s+)/)
    .map((word) => (LINK.test(word) ? code(word) : word.replace(/[<>[\]`]/g, '\\$&')))
    .join('');

/** What GitHub-flavoured Markdown makes a link of by itself. An escape does not prevent that everywhere; code does. */
const LINK = /www\.|:\/\/|@|mailto:|xmpp:/i;
