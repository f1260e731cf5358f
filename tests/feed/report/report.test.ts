import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from '@playwright/test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import stringWidth from 'string-width';
import { visible } from '../../report/text.ts';
import { HOSTILE } from '../../server/report/testing/sample-reports.ts';
import { RULES } from '../rules.ts';
import type { FeedSource } from '../source.ts';
import { but, contract, good, later, NOW } from '../testing/sample-feed.ts';
import { renderFeedHtml } from './html.ts';
import { type FeedReport, lastLine, reportOn } from './report.ts';
import { renderSarif } from './sarif.ts';
import { renderRule, renderText } from './terminal.ts';

const OPTIONS = {
  profile: { name: 'ods-record', title: 'Records' },
  atMs: NOW,
  strict: false,
  bodyBytes: 1e6,
};

function source(body: string | undefined, fields: Partial<FeedSource> = {}): FeedSource {
  async function* bytes() {
    for (let at = 0; at < (body ?? '').length; at += 100) yield Buffer.from((body ?? '').slice(at, at + 100));
  }
  return {
    kind: 'file',
    name: 'feed.json',
    close: async () => {},
    ...(body !== undefined && { bytes: bytes() }),
    ...fields,
  };
}

const reportOf = (
  records: unknown[],
  options: object = {},
  fields: Partial<FeedSource> = {},
): Promise<FeedReport> =>
  reportOn(source(JSON.stringify({ ods_data: records }, null, 1), fields), contract, {
    ...OPTIONS,
    ...options,
  });

const bad = [
  but({ slew_sec: '1', extra: 1 }),
  ...[1, 2, 3, 4].map((hours) => later(hours, { slew_sec: -1 })),
];
const schema = JSON.parse(
  readFileSync(fileURLToPath(import.meta.resolve('mrs-contract/feed.schema.json')), 'utf8'),
);
const isReport = new Ajv2020({ allErrors: true }).compile(schema);

test('without a finding a feed is conformant; with a warning too, unless it is strict', async () => {
  const warned = [but({ extra: 1 })];
  expect(lastLine(await reportOf([good]))).toBe('outcome: conformant (1 records, 0 findings, 0 warnings)');
  expect(lastLine(await reportOf(warned))).toBe('outcome: conformant (1 records, 0 findings, 1 warnings)');
  expect(lastLine(await reportOf(warned, { strict: true }))).toBe(
    'outcome: nonconformant (1 records, 0 findings, 1 warnings)',
  );
  expect(lastLine(await reportOf(bad))).toBe('outcome: nonconformant (5 records, 2 findings, 1 warnings)');
});

test('an empty list is an empty schedule', async () => {
  const text = renderText(await reportOf([]), { color: false });
  expect(text).toContain('An empty schedule');
  expect(text.split('\n').at(-1)).toBe('outcome: conformant (0 records, 0 findings, 0 warnings)');
});

test('what is larger than the limit is incomplete, unless what was read is wrong already', async () => {
  const records = [good, later(1), later(2)];
  // One record and most of the next: the limit is within a chunk that ends behind that one.
  const length = JSON.stringify({ ods_data: [good] }, null, 1).length;
  for (let bodyBytes = 2 * length - 150; bodyBytes < 2 * length - 30; bodyBytes++) {
    const { outcome, records: read, source: from, findings } = await reportOf(records, { bodyBytes });
    expect([outcome, read, from.bytes, findings]).toEqual(['incomplete', 1, bodyBytes, []]);
  }
  expect((await reportOf(bad, { bodyBytes: 2 * length })).outcome).toBe('nonconformant');
});

test('an answer without a body is incomplete', async () => {
  const report = await reportOn(source(undefined, { kind: 'url', status: 204 }), contract, OPTIONS);
  expect([report.outcome, report.findings]).toEqual(['incomplete', []]);
  expect(report.unjudged).toEqual(['The answer 204 has no body, so that there is no feed to judge.']);
});

test('the moment is the one given, else that of the service', async () => {
  const served = { servedMs: NOW + 3_600_000 };
  expect(await reportOf([good], {}, served)).toMatchObject({ outcome: 'conformant', timeFrom: 'option' });
  const report = await reportOf([good], { atMs: undefined }, served);
  expect(report).toMatchObject({
    outcome: 'nonconformant',
    timeFrom: 'date-header',
    judgedFor: '2030-01-01T01:00:00',
  });
});

test('the report keeps its schema', async () => {
  for (const report of [
    await reportOf([good]),
    await reportOf([]),
    await reportOf(bad),
    await reportOf([but({ slew_sec: 1 }), 7]),
  ]) {
    isReport(JSON.parse(JSON.stringify(report)));
    expect(isReport.errors ?? []).toEqual([]);
  }
  expect(isReport({ ...(await reportOf(bad)), secret: 1 })).toBe(false);
});

test('the text groups by rule: count, first three places, what to do', async () => {
  expect(renderText(await reportOf(bad), { color: false })).toContain(`
✗ range 4 times
  Each value is within the bounds that the schema declares.
    /ods_data/1/slew_sec, line 24
      slew_sec is -1; it must be >= 0
    /ods_data/2/slew_sec, line 44
      slew_sec is -1; it must be >= 0
    /ods_data/3/slew_sec, line 64
      slew_sec is -1; it must be >= 0
    and 1 more place
  → Correct the value; a common cause is a unit other than the one in the name
    of the field.

! unknown-field 1 time
`);
});

test('colour is for terminals, and changes no word', async () => {
  const report = await reportOf(bad);
  const plain = renderText(report, { color: false });
  expect(plain).not.toContain('\u001b');
  expect(stripVTControlCharacters(renderText(report, { color: true }))).toBe(plain);
});

test('a rule is told in 80 columns, with its source', () => {
  for (const rule of RULES) {
    const [source = '', ...others] = renderRule(rule).split('\n').reverse();
    expect(source).toBe(`  Source: ${rule.source}`);
    for (const line of others) expect(stringWidth(line)).toBeLessThanOrEqual(80);
  }
});

/** What SARIF 2.1.0 asks of the parts that are used here. */
const SARIF = {
  $defs: {
    text: { type: 'object', required: ['text'], properties: { text: { type: 'string', minLength: 1 } } },
    level: { enum: ['none', 'note', 'warning', 'error'] },
    uri: { type: 'string', pattern: '^[!-~]+$' },
  },
  type: 'object',
  required: ['version', 'runs', '$schema'],
  additionalProperties: false,
  properties: {
    $schema: { type: 'string' },
    version: { const: '2.1.0' },
    runs: {
      type: 'array',
      minItems: 1,
      items: {
        required: ['tool', 'results'],
        properties: {
          tool: {
            required: ['driver'],
            properties: {
              driver: {
                required: ['name', 'rules'],
                properties: {
                  rules: {
                    uniqueItems: true,
                    items: {
                      required: ['id', 'shortDescription', 'helpUri'],
                      properties: {
                        shortDescription: { $ref: '#/$defs/text' },
                        helpUri: { $ref: '#/$defs/uri' },
                        defaultConfiguration: { properties: { level: { $ref: '#/$defs/level' } } },
                      },
                    },
                  },
                },
              },
            },
          },
          results: {
            type: 'array',
            items: {
              required: ['ruleId', 'ruleIndex', 'level', 'message', 'locations'],
              properties: {
                level: { $ref: '#/$defs/level' },
                message: { $ref: '#/$defs/text' },
                locations: {
                  minItems: 1,
                  items: {
                    required: ['physicalLocation', 'logicalLocations'],
                    properties: {
                      physicalLocation: {
                        required: ['artifactLocation'],
                        properties: {
                          artifactLocation: {
                            required: ['uri'],
                            properties: { uri: { $ref: '#/$defs/uri' } },
                          },
                          region: {
                            required: ['startLine'],
                            properties: { startLine: { minimum: 1 }, byteOffset: { minimum: 0 } },
                          },
                        },
                      },
                      logicalLocations: { minItems: 1, items: { required: ['fullyQualifiedName'] } },
                    },
                  },
                },
              },
            },
          },
        },
      },
    },
  },
};

test('SARIF has a result for each place, and each names a rule that is described', async () => {
  const isSarif = new Ajv2020({ allErrors: true, strict: false }).compile(SARIF);
  for (const name of ['feed.json', 'with space/a%:b?.json', '\ud800'])
    for (const records of [bad, [], [7]]) {
      const log = JSON.parse(renderSarif(await reportOf(records, {}, { name }), '1.2.3'));
      isSarif(log);
      expect(isSarif.errors ?? []).toEqual([]);
      const [{ tool, results }] = log.runs;
      for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex].id).toBe(ruleId);
    }
  const [{ results }] = JSON.parse(renderSarif(await reportOf(bad), '1.2.3')).runs;
  expect(results.map(({ level }: { level: string }) => level)).toEqual([
    ...Array(4).fill('error'),
    'warning',
  ]);
  expect(results[1]).toMatchObject({
    ruleId: 'range',
    message: { text: 'slew_sec is -1; it must be >= 0 (1 of 4)' },
    locations: [
      {
        physicalLocation: { artifactLocation: { uri: 'feed.json' }, region: { startLine: 24 } },
        logicalLocations: [{ fullyQualifiedName: '/ods_data/1/slew_sec' }],
      },
    ],
  });
});

const tags = (html: string): string[] =>
  (html.replace(/<style>.*<\/style>/s, '').match(/<[^>]*>/g) ?? []).map((tag) =>
    tag.replace(/"[^"]*"/g, '""'),
  );

test('the page forbids itself to load, run and send anything, and every link leads into it', async () => {
  const html = renderFeedHtml(await reportOf(bad));
  expect(html).toContain('default-src &#39;none&#39;');
  expect(html).not.toMatch(/<(script|link|img|iframe|object|embed|form|base)\b|\ssrc=|@import|url\(/i);
  for (const [, href = ''] of html.matchAll(/href="([^"]*)"/g))
    expect(html).toContain(`id="${href.replace('#', '')}"`);
});

for (const [name, text] of Object.entries(HOSTILE))
  test(`hostile ${name}: nothing of the feed comes alive, in no format`, async () => {
    const poison = (one: string) => [
      but({ site_id: `${one}`, src_id: one, version: one, [`x${one}`]: one }),
      later(1, { slew_sec: one, version: 'v1' }),
    ];
    const [report, tame] = [
      await reportOf(poison(text), {}, { name: `f${text}` }),
      await reportOf(poison('plain'), {}, { name: 'f' }),
    ];
    expect(tags(renderFeedHtml(report))).toEqual(tags(renderFeedHtml(tame)));
    for (const shown of [
      renderFeedHtml(report),
      renderText(report, { color: false }),
      renderSarif(report, '1'),
    ]) {
      expect(shown).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      expect(visible(shown)).toBe(shown);
    }
    for (const line of renderText(report, { color: false }).split('\n')) {
      expect(stringWidth(line)).toBeLessThanOrEqual(80);
      expect(line).not.toMatch(/^::|##\[/);
    }
  });
