/** `mrs explain` says what a requirement or a rule asks for, how it is tested, and what to do where it is not kept. */
import { Command } from 'commander';
import { closest } from 'fastest-levenshtein';
import { type RuleText, texts } from '../../tests/client/rule.ts';
import { type Rule as FeedRule, RULES } from '../../tests/feed/findings.ts';
import { WATCH_RULES } from '../../tests/feed/watch-report.ts';
import { entry, indented } from '../../tests/report/terminal.ts';
import { SEVERITY_WORDS, several } from '../../tests/report/text.ts';
import { requirements } from '../../tests/server/judge.ts';
import { type Condition, requests } from '../../tests/server/requests.ts';
import { ledger, type Requirement } from '../../tests/support/requirements.ts';
import { UsageError } from '../../tests/support/usage-error.ts';

/** What is known of an id, in the order in which it is printed. */
interface Explained {
  id: string;
  /** What the id names. */
  kind: string;
  statement: string;
  facts: [name: string, text: string | undefined][];
}

const KINDS: Readonly<Record<Requirement['kind'], string>> = {
  server: 'a requirement for deployments',
  interpretation: 'a requirement for deployments, by a reading of the specification',
  client: 'a statement that binds clients',
  open: 'an open point, which is observed and never judged',
  'not-observable': 'a statement that no request can show',
  declared: 'what a profile declares',
};

const RECORDED: Readonly<Record<NonNullable<Requirement['passive']>, string>> = {
  usual: 'mrs judge and mrs proxy judge it by the traffic of any client that renews its token.',
  occasional: 'mrs judge and mrs proxy judge it where a client sends such a request.',
};

const CLASSES: Readonly<Record<FeedRule['class'], string>> = {
  S: 'A violation fails the feed: it contradicts published text, or geometry.',
  D: 'A violation fails the feed: the defect was seen in public data or code.',
  H: 'A violation is a warning.',
};

/** The requests that decide for a condition which is not that of one request: by their keys. */
const DECIDED_BY: Partial<Record<Condition, RegExp>> = {
  'valid-credentials again': /^token\.(again|another|last)$/,
  'valid-token': /^data\.(first|newestToken|lastToken)$/,
  'valid-token body': /^data\.(first|second|third|freshToken)$/,
  'valid-token again': /^data\.(second|third|fourth|fifth|late|freshTokenAgain)$/,
  'expired-token status': /^data\.(expired|given|newestExpired)/,
  'expired-token renewed': /^(data\.expiredToken|token\.again|data\.freshToken)$/,
};

/** The most requests that are named. */
const MOST_REQUESTS = 5;

/** The requests of a run by which a requirement is judged. */
function requestsOf(id: string): string | undefined {
  const own = requirements.find((one) => one.id === id);
  if (!own) return undefined;
  const named = requests.filter(
    ({ key, when }) =>
      own.of.some((condition) => condition === when || DECIDED_BY[condition]?.test(key)) &&
      // What no example of the contract answers does not decide for a status.
      !(own.of.includes('expired-token status') && key === 'data.expiredAsHtml'),
  );
  if (named.length === 0) return 'the health checks at the paths of --health-paths';
  const shown = named.slice(0, MOST_REQUESTS).map(({ what }) => what);
  const rest = named.length - shown.length;
  return `${shown.join('; ')}${rest > 0 ? `; and ${several(rest, 'more request')} (mrs verify --dry-run)` : ''}`;
}

const severityOf = ({ severity }: Pick<Requirement, 'severity'>): string | undefined =>
  severity && SEVERITY_WORDS[severity];

const ofClause = (row: Requirement): Explained => ({
  ...{ id: row.id, kind: KINDS[row.kind], statement: row.statement },
  facts: [
    ['section', `${row.clause} of the specification`],
    ['reading', row.reading],
    ['reason', row.reason],
    ['requests', requestsOf(row.id)],
    ['recorded', row.passive && RECORDED[row.passive]],
    ['violation', row.violation],
    ['severity', severityOf(row)],
    ['to do', row.advice],
    ['to ask', row.question],
  ],
});

const clauseInWords = (clause: string): string => {
  const [id] = clause.split('@', 1);
  const statement = ledger.find((row) => row.id === id)?.statement;
  return statement ? `${id}: ${statement}` : clause;
};

const ofClient =
  (kind: string) =>
  (row: RuleText): Explained => ({
    ...{ id: row.id, kind, statement: row.statement },
    facts: [
      ['clause', row.clause && clauseInWords(row.clause)],
      ['severity', severityOf(row) ?? 'good practice: a violation is a warning'],
      ['not tested', row.notTested],
      ['to do', row.advice],
    ],
  });

const ofFeed = (row: FeedRule): Explained => ({
  ...{ id: row.id, kind: 'a rule for feeds', statement: row.statement },
  facts: [
    ['why', row.why],
    ['source', row.source],
    ['severity', severityOf(row)],
    ['class', CLASSES[row.class]],
    ['to do', row.remedy],
  ],
});

/** All that has an id. An id of both kinds of rules for clients is explained by both. */
const all = (): Explained[] => [
  ...ledger.map(ofClause),
  ...texts.clients.map(ofClient('a rule for clients')),
  ...texts.readers.map(ofClient('a rule for readers of feeds')),
  ...RULES.map(ofFeed),
  ...WATCH_RULES.map(
    ({ id, statement, severity, remedy }): Explained => ({
      ...{ id, kind: 'a rule for feeds over time (mrs watch)', statement },
      facts: [
        ['severity', severity ? SEVERITY_WORDS[severity] : 'a warning'],
        ['to do', remedy],
      ],
    }),
  ),
  {
    ...{
      id: 'feed-complete',
      kind: 'a rule for feeds',
      statement: 'Every record is read, and every rule is applied.',
    },
    facts: [['not judged', 'The report says what could not be read.']],
  },
];

const inLines = ({ id, kind, statement, facts }: Explained): string =>
  [
    `${id}: ${kind}`,
    ...indented(statement, 2),
    '',
    ...facts.flatMap(([name, text]) =>
      text === undefined ? [] : indented(text, 14, `  ${name.padEnd(12)}`),
    ),
  ].join('\n');

const inList = (): string =>
  all()
    .flatMap(({ id, statement }) => entry(' ', id, statement))
    .join('\n');

/** What is printed for an id, which may name a profile, as `MRS-7e@rfc6750` does. Throws UsageError for an unknown id. */
export function explain(given: string): string {
  const id = given.split('@', 1)[0] ?? given;
  const named = all().filter((one) => one.id.toLowerCase() === id.toLowerCase());
  if (named.length > 0) return named.map(inLines).join('\n\n');
  const ids = all().map((one) => one.id);
  const [, number = ''] = /^(?:MRS-)?(\d.*)$/i.exec(id) ?? [];
  const within = ids.filter(
    (one) => number !== '' && one.toLowerCase().startsWith(`mrs-${number}`.toLowerCase()),
  );
  const near = within.length > 0 ? within.slice(0, 9).join(', ') : closest(given, ids);
  throw new UsageError(
    `There is no requirement or rule "${given}". ${within.length > 1 ? 'There are' : 'The nearest is'} ${near}; ` +
      'mrs explain lists all, and mrs certify --list the scenarios.',
  );
}

export const explainCommand = (): Command =>
  new Command('explain')
    .description(
      'Explains a requirement or a rule: what it asks for, how it is tested, and how to fix a violation. Without an id, lists all.',
    )
    .argument('[id]', 'id of a report, such as MRS-7a, token-reuse or digit-string')
    .action((id?: string) => console.log(id === undefined ? inList() : explain(id)));
