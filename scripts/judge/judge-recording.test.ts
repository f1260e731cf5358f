/** What a report says on traffic that shows too little, or was judged by wrong options. */
import { expect, test } from 'vitest';
import { UsageError } from '../../tests/support/usage-error.ts';
import { asks, reactiveTraffic, reads, readsEvery, refused } from '../../tests/traffic/testing/har.ts';
import { reportOnCalls, withVerdict } from './testing/judged.ts';

for (const lifetimeSeconds of [15, 600])
  test(`an agreed lifetime of ${lifetimeSeconds} s where 60 s are seen is not judged as a fault of anyone`, async () => {
    const report = await reportOnCalls(reactiveTraffic(), { lifetimeSeconds });
    expect(withVerdict(report, 'failed', 'warned')).toEqual([]);
    expect([report.server.outcome, report.client.outcome]).toEqual(['incomplete', 'incomplete']);
    expect(withVerdict(report, 'not-seen')).toEqual(expect.arrayContaining(['MRS-5.6a', 'renewal']));
    expect(report.remarks.join(' ')).toContain(
      `The agreed token lifetime is ${lifetimeSeconds} s, but tokens were accepted until the age of 55.1 s and refused as expired from 61.9 s on.`,
    );
  });

test('a base URL below which nothing is asked for is a mistake of the user', async () => {
  const judged = reportOnCalls(reactiveTraffic(), { baseUrl: 'https://mrs.example' });
  await expect(judged).rejects.toThrow(UsageError);
  await expect(judged).rejects.toThrow('give --base-url https://mrs.example/api.');
});

test('a client that asks at a wrong address is judged, if the service does not answer there', async () => {
  const calls = [
    asks(0, 1, { path: '/v2/token/', status: 404 }),
    reads(1, 1, { path: '/v2/ods_data/', status: 404 }),
  ];
  const report = await reportOnCalls(calls, { baseUrl: 'https://mrs.example/api' });
  expect(withVerdict(report, 'failed')).toContain('token-path');
});

const NEEDS_LIFETIME =
  /^Not seen of the client: token-reuse \(.*\), renewal \(.*\)\. How long tokens live is not known\. Give --token-lifetime\.$/;

test('a client that goes on with a token that is refused is asked for the lifetime of tokens', async () => {
  const calls = [asks(0, 1), ...readsEvery(5, 0.1, 60, 1), ...[62, 67, 72].map((at) => refused(at, 1))];
  const { remarks } = await reportOnCalls(calls);
  const client = remarks.find((remark) => remark.includes('of the client'));
  expect(client).toMatch(NEEDS_LIFETIME);
  expect(withVerdict(await reportOnCalls(calls, { lifetimeSeconds: 60 }), 'failed')).toEqual(['renewal']);
});

test('what is missing is said with what it requires, and why', async () => {
  const { remarks } = await reportOnCalls([asks(0, 1), reads(1, 1)]);
  expect(remarks).toEqual([
    'Not seen of the service: MRS-4.1m (The same client_id and client_secret obtain a token every time one is requested), MRS-5.3b (One token serves several calls until it expires). The traffic has no request that shows it.',
    expect.stringMatching(
      /^Not seen of the client: token-reuse \(.*\)\. This takes 3 reads with one token, which lives/,
    ),
    expect.stringMatching(
      /^Not seen of the client: renewal \(.*\)\. No token was refused with 403, as an expired one must be, while the client was calling\.$/,
    ),
  ]);
});

test('a reason does not ask for another run, since the recording would be the same', async () => {
  const calls = reactiveTraffic().filter(({ at }) => at < 62);
  const down = asks(62, 0, { status: 503, body: '', answerHeaders: { 'Content-Length': '0' } });
  const { server } = await reportOnCalls([...calls, down], { lifetimeSeconds: 50 });
  const renewal = server.items.find(({ id }) => id === 'MRS-5.6b');
  expect(renewal?.reason).toBe(
    'A token request: 503, no body. This proves nothing: judge the deployment when it is healthy.',
  );
});

for (const [what, calls, seen] of [
  [
    'a read that is refused too early',
    [refused(20.1, 1), reads(22, 1)],
    'the data with token 1 at the age of 20.1 s: 403',
  ],
  [
    'the refusal of a token that has just come',
    [asks(180, 4), refused(182, 4), reads(183, 4)],
    'the data with token 4 at the age of 2 s: 403',
  ],
  [
    'a refusal with 401',
    [refused(30.1, 1, 401), reads(31, 1)],
    'the data with token 1 at the age of 30.1 s: 401',
  ],
  ['a read that fails', [reads(20.1, 1, { status: 500, body: '' })], 'the data with token 1: 500'],
] as const)
  test(`the report says of ${what}: ${seen}`, async () => {
    const report = await reportOnCalls([...reactiveTraffic(), ...calls]);
    const failed = report.server.items.filter(({ verdict }) => verdict === 'failed');
    expect(failed.map((one) => one.seen).join()).toContain(seen);
  });
