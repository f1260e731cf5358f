/** Reports for the tests of the renderings: one with every verdict, and the same with hostile text all over. */
import type { Exchange } from '../../support/evidence.ts';
import type { JudgedRequirement, Report } from '../report.ts';

const DIGEST = 'ac6065a97b55866b3184f1ba9cd925ccf4d525f7115c056dfceae9e7173b96cd';

const tokenRequest: Exchange = {
  id: 'x1',
  what: 'a form with a wrong client_secret',
  request: {
    method: 'POST',
    path: '/token/',
    headers: [
      ['accept', 'application/json'],
      ['user-agent', 'mrs-contract/0.1.0 (run 1)'],
      ['content-type', 'application/x-www-form-urlencoded'],
    ],
    form: { grant_type: 'client_credentials', client_id: 'acme', client_secret: '‹client secret›' },
  },
  sentAtMs: 0,
  durationMs: 40,
  response: {
    status: 200,
    mediaType: 'application/json',
    headers: [['content-type', 'application/json']],
    bodyBytes: 35,
    digest: DIGEST,
    excerpt: '{"token":"‹token 1›"}',
    json: { wellFormed: true, type: 'object', empty: false, fields: ['token'], filled: ['token'] },
  },
};

const dataRequest: Exchange = {
  id: 'x2',
  what: 'the data with the token',
  request: { method: 'GET', path: '/ods_data/', headers: [['authorization', 'Bearer ‹token 1›']] },
  sentAtMs: 40,
  durationMs: 2010,
  failure: 'reset the connection',
};

function requirement(
  id: string,
  clause: string,
  verdict: JudgedRequirement['verdict'],
  evidence: JudgedRequirement['evidence'],
): JudgedRequirement {
  return {
    ...{ id, clause, kind: 'interpretation', verdict, evidence },
    statement: `What ${id} states.`,
    reading: 'How it is read.',
  };
}

export const sample: Report = {
  $schema: './report.schema.json',
  schemaVersion: 1,
  outcome: 'nonconformant',
  target: {
    baseUrl: 'https://mrs.example.org/api',
    clientId: 'acme',
    tokenLifetimeSeconds: 60,
    healthPaths: ['/health/'],
  },
  startedAt: '2026-11-20T16:31:08.656Z',
  durationMs: 2050,
  requests: 3,
  counts: { passed: 1, failed: 1, 'could-not-run': 1, 'not-applicable': 1 },
  requirements: [
    requirement('MRS-2a', '2', 'passed', {
      seen: 'a form with valid credentials: 200, application/json',
      exchanges: ['x1'],
    }),
    requirement('MRS-4.1j', '4.1', 'failed', {
      seen: 'a form with a wrong client_secret: 200, application/json',
      expected: 'no token',
      exchanges: ['x1', 'x2'],
      evidenceStrength: 'waited for the agreed lifetime',
    }),
    requirement('MRS-4.2a', '4.2', 'could-not-run', {
      ...{ seen: '', reason: 'No answer came.', exchanges: ['x2'] },
    }),
    requirement('MRS-4.3a', '4.3', 'not-applicable', {
      ...{ seen: '', reason: 'The paths are not shown.', exchanges: [] },
    }),
  ],
  openPoints: [
    {
      id: 'MRS-7d',
      verdict: 'observed',
      statement: 'The codes of errors.',
      observed: '400, 401',
    },
    { id: 'MRS-9', verdict: 'observed', statement: 'The versioning scheme.', observed: null },
  ],
  notJudged: [
    { id: 'MRS-1.1', clause: '1', kind: 'not-observable', statement: 'It is an API.', reason: 'A summary.' },
    { id: 'MRS-5.2', clause: '5.2', kind: 'client', statement: 'The client posts a form.' },
  ],
  problems: [],
  exchanges: [tokenRequest, dataRequest],
};

export const proof = {
  defects: { caught: 31, total: 31 },
  variants: { accepted: 12, total: 12 },
  digest: DIGEST,
};

/** Texts that would come alive, break out or deceive somewhere. */
export const HOSTILE: Record<string, string> = {
  script: '<script>document.title="taken"</script>',
  attribute: '"><img src=x onerror="document.title=\'taken\'">',
  quotes: `' onfocus='document.title="taken"' autofocus='`,
  comment: '--><!-- ]]> <![CDATA[ </title></style></pre></code>',
  entity: '&lt;b&gt; &#60;script&#62; &xxe; %00',
  terminal: '\u001b[31mred\u001b]8;;http://evil.example/\u0007link\u0000\u009b2J',
  formula: '=HYPERLINK("http://evil.example/";"x")',
  markdown: '![x](http://evil.example/i.png) [x](javascript:alert(1)) **b** <b>x</b> # h',
  table: 'a | b \\| c \\\\| d `|` ``x`` ```\n```\n| --- |\n~~~',
  ticks: '` <img src=x> **b** `` ![x](y) ``` <b>',
  mention: '@octocat octocat@evil.example http://evil.example/ www.evil.example #1 :tada:',
  lines: 'a\r\nb\n\n# c\u2028d\u2029e\ff\vg\th\n</details>',
  bidi: 'a\u202egnp.exe\u202c\u2066b\u200f\ufeff\u00ad',
  surrogates: 'a\ud800b\udc00c\ufffe\uffff',
  shell: '\'; touch taken; echo \'$(touch taken)`touch taken` \\ "$HOME" !! [1-9]{a,b} >taken -o x',
};

/** What of a report is chosen from a list, and can hold nothing else. */
const CHOSEN = new Set(['outcome', 'verdict', 'kind', 'type', '$schema']);

/**
 * `report` with `text` before and after every string that is not empty, the names of form fields and headers among them. What was
 * equal stays equal, so that the requirements still lead to their exchanges. Members named in `chosen` are left alone.
 */
export function poisoned<T>(report: T, text: string, chosen: ReadonlySet<string> = CHOSEN): T {
  const poison = (value: unknown, name: string): unknown => {
    if (typeof value === 'string') return chosen.has(name) || value === '' ? value : `${text}${value}${text}`;
    if (Array.isArray(value)) return value.map((member) => poison(member, ''));
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [
        name === 'form' ? `${text}${key}` : key,
        poison(member, key),
      ]),
    );
  };
  return poison(report, '') as T;
}
