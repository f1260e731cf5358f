import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createVirtualClock } from '../../support/clock.ts';
import { createSecrets } from '../../support/secrets.ts';
import { alter } from '../forge.ts';
import { type ProbeKey, requests } from '../requests.ts';
import { exchanges, type Observed, repeatsOf } from '../support/evidence.ts';
import { answer } from '../testing/evidence.ts';
import {
  fakeApi,
  first,
  isValid,
  outcomeOf,
  type Played,
  play,
  run,
  type Script,
  statusOf,
  validForm,
} from '../testing/fake-api.ts';
import { gather } from './run.ts';
import type { Target } from './target.ts';

const HEALTH = ['without a token', 'with the token', 'without a token again'].map(
  (how) => `the health check /health/ ${how}`,
);
/** The requests of a run with nothing unusual: a token of one part has no claims and no signature and no cookie is set. */
const PLAN = requests
  .filter((row) => !('withHeader' in row))
  .flatMap(({ key, what }) => (key === 'data.late' ? [...HEALTH, what] : what))
  .filter((what) => !/its claims|its signature|unsigned|its cookies|MRS_EXPIRED_TOKEN/.test(what));

test('each request of the plan is sent once, in order, as it was announced', async () => {
  const progress: string[] = [];
  const instead: Script['instead'] = (_, { what }) =>
    /after its end/.test(what) ? answer(403).response : undefined;
  const played = await play({ instead }, {}, { progress: progress.push.bind(progress) });
  expect(played.sent.map(({ what }) => what)).toEqual(PLAN);
  expect(progress.filter((text) => text.startsWith('request: '))).toEqual(
    PLAN.map((what) => `request: ${what}`),
  );
  expect(progress).toContain('waiting 8 s, until the token is 8 s old');
  expect([played.repeated, played.tokenRepeats]).toEqual([[], false]);
  const [one, two, four] = ['issued-token-1', 'issued-token-2', 'issued-token-4'];
  const tokens: Partial<Record<ProbeKey, unknown>> = {
    ...{ 'data.first': one, 'data.second': one, 'data.third': one, 'data.expiredToken': one },
    ...{ 'data.freshToken': two, 'data.fifth': one, 'open.tokenBefore': two },
    ...{ 'data.withoutToken': undefined, 'data.alteredToken': alter(four) },
    'data.unknownToken': expect.stringMatching(/^[\w-]{32}$/),
  };
  const keys = Object.keys(tokens) as ProbeKey[];
  expect(Object.fromEntries(keys.map((key) => [key, played.used(key)]))).toEqual(tokens);
});

test('a forged token is a secret too', async () => {
  const secrets = createSecrets();
  await play({}, {}, { secrets });
  expect(secrets.redact(alter('issued-token-4'))).toBe('‹the token, one character altered›');
});

const NO_TOKEN = 'No token was obtained (see MRS-4.1a and MRS-2a).';
const REFUSED = /^The credentials were refused\. /;
const DOWN = 'Not sent: 3 requests in a row had no answer; the deployment refused the connection.';

/** What became of requests: a status, or why they were not sent. */
type Outcomes = Partial<Record<ProbeKey, number | string | RegExp>>;
const outcomes = (outcome: string | RegExp, ...keys: ProbeKey[]): Outcomes =>
  Object.fromEntries(keys.map((key) => [key, outcome]));

type Row = [what: string, script: Script, Outcomes, check?: (played: Played) => void, to?: Partial<Target>];

const PAGE = answer(200, { mediaType: 'text/html', bodyBytes: 90, digest: 'page' }).response;

const rows: Row[] = [
  [
    'a deployment that never answers is asked three times',
    { down: () => true },
    outcomes(DOWN, 'token.unknownClientId', 'token.again', 'data.unknownToken'),
    ({ sent, health }) => expect([sent.length, health[0]?.plain]).toMatchObject([3, { notSent: DOWN }]),
  ],
  [
    'where no token is obtained, nothing that needs one is sent',
    { tokens: () => 500 },
    {
      ...outcomes(
        NO_TOKEN,
        'data.first',
        'data.second',
        'data.third',
        'data.alteredToken',
        'data.freshToken',
      ),
      ...{ 'data.expiredToken': /^No token was accepted/, 'data.withoutToken': 401 },
      'token.withAuthorization': / was not refused\.$/,
    },
    ({ expiry }) => expect(expiry).toEqual({ kind: 'none' }),
  ],
  [
    'credentials that are refused are sent again by a header only',
    { tokens: () => 401 },
    {
      ...outcomes(REFUSED, 'token.again', 'token.unknownClientId', 'token.cutClientSecret'),
      ...{ 'data.ownCredentials': REFUSED, 'data.withoutToken': 401 },
    },
    ({ sent }) => {
      const basic = `Basic ${btoa('station:hunter2')}`;
      expect(sent.flatMap(({ authorization }) => authorization ?? [])).toEqual([basic]);
      expect(sent.filter(({ form }) => form)).toHaveLength(2);
    },
  ],
  [
    'a safe run sends no wrong secret for the real client, and no headers of a gateway',
    {},
    { 'token.cutClientSecret': /--safe/, 'data.fromInside': /--safe/ },
    ({ sent }) => {
      for (const { form } of sent)
        if (form?.client_id === 'station') expect([undefined, 'hunter2']).toContain(form.client_secret);
    },
    { safe: true },
  ],
  [
    'a token that expires during the first reads is renewed once, and the beginning is sent again',
    { data: first((uses) => uses > 1) },
    { 'data.first': 200, 'data.second': 200, 'data.third': 200 },
    ({ probes, repeated }) => {
      expect(repeated.slice(0, 6).map(({ what }) => what)).toEqual(PLAN.slice(0, 6));
      expect(probes['token.valid']).toMatchObject({ id: 'x7' });
    },
  ],
  [
    'a token in another place than the field token that does not open the data is discarded',
    { takenFrom: '/access_token', data: () => 401 },
    { 'data.first': NO_TOKEN },
    ({ refusedTokens }) => expect(refusedTokens).toHaveLength(5),
  ],
  [
    'where what is in the place of a token in a refusal opens something else than the data, it is none',
    {
      tokens: (form) => (isValid(form) ? 200 : 401),
      given: 'token-in-error',
      instead: (_, { token }) => (token === 'token-in-error' ? PAGE : undefined),
    },
    {},
    ({ probes }) =>
      expect(probes['token.cutClientSecret']).toMatchObject({
        response: { tokenResponse: { issued: false } },
      }),
  ],
  [
    'a health check is asked by its method',
    { health: (_, by) => (by === 'POST' ? 204 : 405) },
    {},
    ({ health }) => {
      const answers = health.flatMap((one) => Object.values(one));
      expect(answers.map(statusOf)).toEqual([204, 204, 204]);
      expect(answers[0]?.what).toBe('the health check POST /a without a token');
    },
    { healthPaths: ['POST /a'] },
  ],
];

for (const [what, script, expected, check, to] of rows)
  test(what, async () => {
    const played = await play(script, to);
    for (const [key, outcome] of Object.entries(expected)) {
      const seen = outcomeOf(played.probes[key as ProbeKey]);
      if (outcome instanceof RegExp) expect(seen, key).toMatch(outcome);
      else expect(seen, key).toBe(outcome);
    }
    check?.(played);
  });

test('a token that has grown old is replaced before it is altered', async () => {
  const clock = createVirtualClock();
  const data = (token: string | undefined) => {
    void clock.sleep(200);
    return token ? 200 : 401;
  };
  const { probes, repeated, used, sent } = await play({ data }, { tokenLifetimeSeconds: 1 }, { clock });
  const renewals = repeated.filter(({ what }) => what === probes['token.again'].what);
  expect(renewals.length).toBeGreaterThan(2);
  expect(used('data.alteredToken')).toMatch(/^issued-xoken-[5-9]$/);
  const control = sent.findIndex(({ what }) => what === probes['data.control'].what);
  expect(sent[control - 1]?.form).toEqual(validForm);
});

const banned = (token: string | undefined, uses: number) =>
  token === undefined ? 401 : uses > ([6, 6, 6, 1][Number(token.slice(-1)) - 1] ?? 0) ? 403 : 200;
const SECOND = 'the data with the newest token, after its end';
for (const [how, endsAt, late] of [
  [
    'ends a little late',
    13,
    { acceptedSeconds: expect.closeTo(12, 0), refusedSeconds: expect.closeTo(20, 0) },
  ],
  ['does not end', Number.POSITIVE_INFINITY, undefined],
  ['ends in time', 11, undefined],
] as const)
  test(`the newest token is watched beyond its end where it ${how}`, async () => {
    const clock = createVirtualClock();
    const issued: number[] = [];
    const { expiry, probes } = await play(
      {
        tokens(form) {
          if (!isValid(form)) return 400;
          issued.push(clock.now() / 1000);
          return 200;
        },
        data(token, uses) {
          const number = Number(/^issued-token-(\d)$/.exec(token ?? '')?.[1]);
          const age = clock.now() / 1000 - (issued[number - 1] ?? 0);
          return Number.isNaN(number)
            ? 401
            : number === 1
              ? first((nth) => nth > 6)(token, uses)
              : age < endsAt
                ? 200
                : 403;
        },
      },
      {},
      { clock },
    );
    expect('late' in expiry ? expiry.late : undefined).toEqual(late);
    expect(statusOf(probes['data.newestExpired'])).toBe(endsAt > 20 ? 200 : 403);
  });

for (const [isSent, how, to, script] of [
  [true, 'if both lifetimes fit into the time to wait', { maxWaitSeconds: 20 }, {}],
  [false, 'but not if they are longer together', { maxWaitSeconds: 19 }, {}],
  [false, 'but not if the client is banned by then', {}, { data: banned }],
] as [boolean, string, Partial<Target>, Script][])
  test(`the newest token is sent after its end, ${how}`, async () => {
    const { sent } = await play(script, to);
    expect(sent.filter(({ what }) => what === SECOND)).toHaveLength(isSent ? 2 : 0);
    if (isSent) expect(sent.at(-1)).toMatchObject({ what: SECOND, token: 'issued-token-5' });
  });

test('a first token that is over when its answer comes is replaced', async () => {
  const clock = createVirtualClock();
  const issuedAtMs: number[] = [];
  const { probes } = await play(
    {
      takenFrom: '/access_token',
      tokens(form) {
        if (!isValid(form)) return 400;
        if (issuedAtMs.push(clock.now()) === 1) void clock.sleep(15_000);
        return 200;
      },
      data(token) {
        const nth = Number(/^issued-token-(\d)$/.exec(token ?? '')?.[1] ?? Number.NaN);
        if (Number.isNaN(nth)) return 401;
        return clock.now() - (issuedAtMs[nth - 1] ?? 0) < 10_000 ? 200 : 403;
      },
    },
    {},
    { clock },
  );
  const keys = ['token.valid', 'data.first', 'data.expiredToken', 'data.newestToken'] as const;
  expect(keys.map((key) => statusOf(probes[key]))).toEqual([200, 200, 403, 200]);
});

test('a run that was ended before it began sends nothing', async () => {
  let asked = 0;
  const server = createServer((_, response) => void response.end(String(++asked)));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const to = { baseUrl: `http://127.0.0.1:${port}`, clientId: 'station', clientSecret: 'hunter2' };
  const limits = { healthPaths: [], maxWaitSeconds: 1, timeoutSeconds: 1, safe: false };
  const more = { secrets: createSecrets(), clock: createVirtualClock(), progress: () => {} };
  await gather({ ...to, ...limits }, { ...more, signal: AbortSignal.abort() });
  server.close();
  expect(asked).toBe(0);
});

for (const [what, script, seconds, pauses] of [
  ['does not answer yet', { down: (nth) => nth < 4 }, 60, [1, 2, 4]],
  [
    'is behind a gateway that answers 502',
    { instead: (nth) => (nth < 3 ? answer(502).response : undefined) },
    60,
    [1, 2],
  ],
  ['is up', {}, 60, []],
] as [string, Script, number, number[]][])
  test(`a run with --wait begins when a deployment that ${what} answers`, async () => {
    const progress: string[] = [];
    const { sent, repeated } = await play(
      script,
      { waitSeconds: seconds },
      { progress: progress.push.bind(progress) },
    );
    const waits = progress.filter((text) => text.endsWith('for the deployment to start'));
    expect(waits).toEqual(pauses.map((one) => `waiting ${one} s for the deployment to start`));
    expect(sent[pauses.length]?.what).toBe('the data without a token, before the run');
    expect(sent[pauses.length + 1]?.form).toEqual(validForm);
    expect(repeated.filter(({ what }) => what !== SECOND)).toEqual([]);
  });

test('a run with --wait ends the wait when its time is over, and says what was seen', async () => {
  const clock = createVirtualClock();
  const { probes } = await play({ down: () => true }, { waitSeconds: 60, healthPaths: [] }, { clock });
  expect(clock.now()).toBeLessThan(90_000);
  expect(probes['token.valid']).toMatchObject({ failure: 'refused the connection' });
});

// What had no decision is sent again.

/** The requests that had no decision the first time. */
const sentAgain = ({ probes }: Observed) =>
  Object.values(probes).filter((probe) => 'id' in probe && probe.again);

test('what was answered with 503 is sent again once at the end, with a token of its own', async () => {
  const isOut = () => api.sent.length >= 14 && api.sent.length < 33;
  const api: ReturnType<typeof fakeApi> = fakeApi({
    tokens: (form) => (isOut() ? 503 : isValid(form) ? 200 : 400),
    data(token, uses) {
      if (isOut()) return 503;
      if (!/^issued-token-\d$/.test(token ?? '')) return 401;
      return uses > 6 && token === 'issued-token-1' ? 403 : 200;
    },
  });
  const evidence = await run(api);
  expect(sentAgain(evidence).length).toBeGreaterThan(2);
  expect(sentAgain(evidence).map(statusOf)).not.toContain(503);
  const last = 'the data with the newest token, after other requests were sent again';
  expect(
    api.sent
      .map(({ what }) => what)
      .filter((what) => what !== SECOND)
      .at(-1),
  ).toBe(last);
  // The undecided ones are kept next to the others that were sent again.
  expect(evidence.repeated.map(statusOf)).toContain(503);
});

for (const [how, script] of [
  ['hangs for a while', { instead: (nth) => (nth < 10 && nth % 3 > 0 ? answer(503).response : undefined) }],
  [
    'issues its first token with 500',
    { given: 'issued-token-9', instead: (nth) => (nth < 2 ? answer(500).response : undefined) },
  ],
] as [string, Script][])
  test(`a run at a deployment that ${how} keeps the answer to each request`, async () => {
    const { sent, ...observed } = await play(script);
    expect(exchanges(observed).map(({ what }) => what)).toEqual(sent.map(({ what }) => what));
  });

test('nothing is sent again to a deployment that does not serve the data at the end', async () => {
  const expires = first(() => api.sent.length > 10);
  const data: typeof expires = (token, uses) => (api.sent.length > 40 ? 429 : expires(token, uses));
  const api: ReturnType<typeof fakeApi> = fakeApi({ data });
  expect(sentAgain(await run(api))).toEqual([]);
  expect(api.sent.filter(({ what }) => what.includes('before other requests'))).toHaveLength(5);
});

test('a valid token that is refused among the refusals is sent once more after a second', async () => {
  const clock = createVirtualClock();
  const sentAt: number[] = [];
  const data: Script['data'] = (token, uses) => {
    if (token !== 'issued-token-4') return first((nth) => nth > 6)(token, uses);
    sentAt.push(clock.now());
    return uses === 2 ? 401 : 200;
  };
  const { probes, ...played } = await play({ data }, {}, { clock });
  expect(statusOf(probes['data.watch'])).toBe(200);
  expect(repeatsOf(probes['data.watch'], played).map(statusOf)).toEqual([401]);
  expect((sentAt[2] ?? 0) - (sentAt[1] ?? 0)).toBe(1000);
});
