import { expect, test } from 'vitest';
import { judgeAll } from '../judge.ts';
import { requests } from '../requests.ts';
import { answered, blankEvidence } from '../testing/evidence.ts';
import type { Exchange } from './evidence.ts';
import { fileOf, foreignEvidence } from './evidence-file.ts';

for (const [what, text, sentence] of [
  ['is not JSON', '{', /it is not JSON\. Name an evidence\.har that mrs verify wrote\.$/],
  [
    'has a newer format',
    written({ version: 9 }, '9.0.0'),
    /has the evidence format 9 of mrs-contract 9\.0\.0; this is .*, which reads format 8\. Judge it with that version\.$/,
  ],
  [
    'has a damaged probe',
    spoilt({ health: [{ plain: { id: 'x1', what: 'a request' } }] }),
    /is damaged: \/evidence\/health\/0\/plain must have required property/,
  ],
  [
    'names a profile without its contract',
    spoilt({ profile: { name: 'a', title: 'A', notOffered: [] } }),
    /is damaged: it names a profile, and lacks its contract\. Run mrs verify again, or name another file\.$/,
  ],
] as const)
  test(`a file that ${what} is refused with a reason`, () => {
    expect(() => foreignEvidence(text, 'evidence.har')).toThrow(sentence);
  });

test('requests that the run did not know are missing, and what takes them could not run', () => {
  const { evidence } = foreignEvidence(spoilt({ probes: {} }), 'evidence.har');
  expect(Object.keys(evidence.probes)).toEqual(requests.map(({ key }) => key));
  const [first] = judgeAll(evidence).verdicts;
  expect(first).toMatchObject({
    verdict: 'could-not-run',
    reason: expect.stringMatching(/^mrs-contract .* did not send it\.$/),
  });
});

/** The file of a blank run with other members of its `_mrs`, and another version of the suite. */
function written(changes: object, suite?: unknown): string {
  const { log } = fileOf(blankEvidence());
  const creator = suite === undefined ? log.creator : { ...log.creator, version: suite };
  return JSON.stringify({ log: { ...log, creator, _mrs: { ...log._mrs, ...changes } } });
}

function spoilt(changes: object): string {
  return written({ evidence: { ...blankEvidence(), ...changes } });
}

test('a file is a HAR file with an entry for each exchange, which is read as it was', () => {
  const exchange: Exchange = {
    ...answered(1, 200, {
      ...{ mediaType: 'application/json', bodyBytes: 2, excerpt: '{}' },
      headers: [['content-type', 'application/json']],
      json: { wellFormed: true, type: 'object', empty: true },
    }),
    ...{ sentAtMs: 1500, durationMs: 20 },
    request: {
      ...{ method: 'POST', path: '/token/', form: { client_id: 'station' } },
      headers: [
        ['accept', 'application/json'],
        ['accept', 'text/html'],
      ],
    },
  };
  const silent: Exchange = { ...exchange, id: 'x2', failure: 'gave no answer' };
  delete silent.response;
  const blank = blankEvidence();
  const evidence = {
    ...blank,
    probes: { ...blank.probes, 'token.valid': exchange },
    refusedTokens: [silent],
  };
  const text = JSON.stringify(fileOf(evidence));
  expect(JSON.parse(text).log.entries).toMatchObject([
    {
      startedDateTime: '2030-01-01T00:00:01.500Z',
      time: 20,
      request: {
        method: 'POST',
        url: 'https://mrs.example/token/',
        postData: { params: [{ name: 'client_id', value: 'station' }] },
      },
      response: { status: 200, content: { size: 2, mimeType: 'application/json', text: '{}' } },
    },
    { response: { status: 0 } },
  ]);
  expect(foreignEvidence(text, 'evidence.har').evidence).toEqual(evidence);
});
