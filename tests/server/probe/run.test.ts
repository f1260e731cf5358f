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
/** The requests of a run with nothing unusual: a token of one part has no claims and no signature, no cookie is set, and no token ends but the first. */
const PLAN = requests
  .filter((row) => !('withHeader' in row))
  .flatMap(({ key, what }) => (key === 'data.late' ? [...HEALTH, what] : what))
  .filter(
    (what) =>
      !/its claims|its signature|unsigned|its cookies|MRS_EXPIRED_TOKEN|long after|an earlier token/.test(
        what,
      ),
  );

test('each request of the plan is sent once, in order, as it was announced', async () => {
  const progress: string[] = [];
  const played = await play({}, {}, { progress: progress.push.bind(progress) });
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

test('valid credentials are posted five times, the last time after every form that is wrong in one way', async () => {
  const forms = (await play()).sent.flatMap(({ form }) => form ?? []);
  expect(forms.filter((form) => isValid(form))).toHaveLength(5);
  const { grant_type, client_id, client_secret } = validForm;
  const random = expect.stringMatching(/^[\w-]{32}$/);
  const changed = (name: keyof typeof validForm, ...values: unknown[]) =>
    values.map((value) => ({ ...validForm, [name]: value }));
  expect(forms.slice(4)).toEqual([
    { client_id, client_secret },
    ...changed('grant_type', random),
    { grant_type, client_secret },
    ...changed('client_id', random),
    { grant_type, client_id },
    ...changed('client_secret', 'hunter'),
    ...changed('grant_type', '', 'client_credential', 'client_credentialsx', 'CLIENT_CREDENTIALS'),
    ...changed('grant_type', 'password', 'authorization_code', 'refresh_token'),
    ...changed('grant_type', 'urn:ietf:params:oauth:grant-type:jwt-bearer'),
    ...changed('client_id', '', 'statio', 'tation', 'stationx', 'station ', 'STATION'),
    { grant_type, client_id: random },
    ...changed('client_secret', 'hunter2 ', 'HUNTER2', ''),
    validForm,
  ]);
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

const headers = ({ sent }: Played) => sent.flatMap(({ authorization }) => authorization ?? []);
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
    'a deployment that has answered before may hang up on any number of requests',
    { down: (nth) => nth > 6 },
    {},
    ({ sent }) => expect(sent.length).toBeGreaterThan(30),
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
    'a form that is refused is sent once more with an Authorization header',
    { tokens: (_, authorization) => (authorization ? 200 : 401) },
    { 'token.valid': 401, 'token.withAuthorization': 200 },
    (played) => expect(headers(played)).toEqual([`Basic ${btoa('station:hunter2')}`]),
  ],
  ...[400, 401].map(
    (status): Row => [
      `credentials answered with ${status} are sent again by a header only`,
      { tokens: () => status },
      {
        ...outcomes(REFUSED, 'token.again', 'token.unknownClientId', 'token.cutClientSecret'),
        ...{ 'data.ownCredentials': REFUSED, 'data.withoutToken': 401 },
      },
      (played) => {
        expect(headers(played)).toHaveLength(1);
        expect(played.sent.filter(({ form }) => form)).toHaveLength(2);
      },
    ],
  ),
  ...[429, 500].map(
    (status): Row => [
      `credentials answered with ${status} are sent again in the form only`,
      { tokens: () => status },
      {},
      (played) => expect(headers(played)).toEqual([]),
    ],
  ),
  [
    'a secret without letters is not sent in the other case, and nothing is missing without it',
    {},
    {},
    ({ probes }) => {
      expect(probes['token.otherCaseClientSecret']).toMatchObject({ isOptional: true });
      expect(probes['token.otherCaseClientId']).not.toHaveProperty('isOptional');
    },
    { clientSecret: '123456' },
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
    'a second refusal of the first reads is not followed by another renewal',
    { data: (token, uses) => (uses > 1 ? 403 : token ? 200 : 401) },
    { 'data.first': 200, 'data.second': 403 },
    ({ probes, ...played }) => expect(repeatsOf(probes['token.valid'], played)).toHaveLength(1),
  ],
  ...(
    [
      ['opens the data is used', 200, '/access_token'],
      ['does not open the data is discarded', 401, undefined],
    ] as const
  ).map(
    ([how, status, takenFrom]): Row => [
      `a token in another place than the field token that ${how}`,
      { takenFrom: '/access_token', data: (token) => (token ? status : 401) },
      { 'data.first': takenFrom ? 200 : NO_TOKEN },
      ({ probes: { 'token.valid': valid }, refusedTokens }) => {
        expect('id' in valid && valid.response?.tokenResponse?.takenFrom).toBe(takenFrom);
        expect(refusedTokens).toHaveLength(takenFrom ? 0 : 5);
      },
    ],
  ),
  ...(
    [
      ['opens the data, it was issued', 200, { response: { tokenResponse: { issued: true } } }],
      ['opens nothing, it is none', 401, { response: { tokenResponse: { issued: false } } }],
      ['is not answered, nothing is judged', 503, { notSent: expect.stringContaining('was not answered') }],
    ] as const
  ).map(
    ([how, status, judged]): Row => [
      `where what is in the place of a token in a refusal ${how}`,
      {
        tokens: (form) => (isValid(form) ? 200 : 401),
        given: 'token-in-error',
        data: (token) => (token === 'token-in-error' ? status : token?.startsWith('issued-') ? 200 : 401),
      },
      {},
      ({ probes, refusedTokens }) => {
        if (status !== 503) expect(refusedTokens.map(statusOf)).toEqual(Array(24).fill(status));
        expect(probes['token.cutClientSecret']).toMatchObject(judged);
      },
    ],
  ),
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
    'a read of the beginning without a decision is sent again before its token expires',
    {
      data: (token, uses) =>
        token === 'issued-token-1' && uses === 2 ? 503 : first((nth) => nth > 7)(token, uses),
    },
    {},
    ({ probes, sent }) => {
      expect(probes['data.second']).toMatchObject({ again: true, response: { status: 200 } });
      const nths = sent.flatMap(({ what }, nth) => (what === probes['data.second'].what ? nth : []));
      expect(nths).toEqual([2, 6]);
    },
  ],
  ...(
    [
      [
        'that refuses is asked with the token',
        ['/a', '/b'],
        (token) => (token ? 200 : 403),
        [403, 200, 403, 403, 200, 403],
      ],
      ['that knows no GET is asked by HEAD', ['/a'], (_, method) => (method === 'HEAD' ? 200 : 405), [200]],
      ['is asked by its method', ['POST /a'], (_, by) => (by === 'POST' ? 204 : 405), [204, 204, 204]],
      ['that is not configured is not asked', [], () => 200, []],
    ] as [string, string[], NonNullable<Script['health']>, number[]][]
  ).map(
    ([how, healthPaths, health, statuses]): Row => [
      `a health check ${how}`,
      { health },
      {},
      (played) => {
        const answers = played.health.flatMap((one) => Object.values(one));
        expect(answers.map(statusOf)).toEqual(statuses);
        const by = statuses.length === 1 ? ', by HEAD' : '';
        expect(answers[0]?.what).toBe(
          healthPaths[0] && `the health check ${healthPaths[0]} without a token${by}`,
        );
      },
      { healthPaths },
    ],
  ),
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

for (const isIssued of [true, false])
  test(`a token that has grown old is ${isIssued ? 'replaced before it is' : 'not'} altered`, async () => {
    const clock = createVirtualClock();
    let forms = 0;
    const { probes, repeated, used, sent } = await play(
      {
        ...(!isIssued && { tokens: (form) => (isValid(form) && ++forms <= 4 ? 200 : 429) }),
        data: (token) => {
          void clock.sleep(200);
          return token ? 200 : 401;
        },
      },
      { tokenLifetimeSeconds: 1 },
      { clock },
    );
    const renewals = repeated.filter(({ what }) => what === probes['token.again'].what).map(statusOf);
    if (!isIssued) {
      expect(new Set(renewals)).toEqual(new Set([429]));
      const notSent = 'The token has expired, and a new one was not obtained.';
      return expect(probes['data.cutToken']).toMatchObject({ notSent });
    }
    expect(renewals.length).toBeGreaterThan(2);
    expect(used('data.alteredToken')).toMatch(/^issued-xoken-[5-9]$/);
    const control = sent.findIndex(({ what }) => what === probes['data.control'].what);
    expect(sent[control - 1]?.form).toEqual(validForm);
  });

const banned = (token: string | undefined, uses: number) =>
  token === undefined ? 401 : uses > ([6, 6, 6, 1][Number(token.slice(-1)) - 1] ?? 0) ? 403 : 200;
const SECOND = 'the data with the newest token, after its end';
for (const [isSent, how, to, script] of [
  [true, 'if both lifetimes fit into the time to wait', { maxWaitSeconds: 20 }, {}],
  [false, 'but not if they are longer together', { maxWaitSeconds: 19 }, {}],
  [true, 'by the clock of the mock, however long', { maxWaitSeconds: 1, mockControlKey: 'key' }, {}],
  [false, 'but not if the first one never ended', {}, { data: first(() => false) }],
  [false, 'but not if the client is banned by then', {}, { data: banned }],
] as [boolean, string, Partial<Target>, Script][])
  test(`the newest token is sent after its end, ${how}`, async () => {
    const { sent } = await play(script, to);
    expect(sent.filter(({ what }) => what === SECOND)).toHaveLength(isSent ? 1 : 0);
    if (isSent) expect(sent.at(-1)).toMatchObject({ what: SECOND, token: 'issued-token-5' });
  });

for (const status of [403, 401])
  for (const takenFrom of [undefined, '/access_token'])
    test(`a first token ${takenFrom ? `in ${takenFrom} ` : ''}that is over when its answer comes, by ${status}, is replaced`, async () => {
      const clock = createVirtualClock();
      const issuedAtMs: number[] = [];
      const { probes, repeated } = await play(
        {
          ...(takenFrom && { takenFrom }),
          tokens(form) {
            if (!isValid(form)) return 400;
            if (issuedAtMs.push(clock.now()) === 1) void clock.sleep(15_000);
            return 200;
          },
          data(token) {
            const nth = Number(/^issued-token-(\d)$/.exec(token ?? '')?.[1] ?? Number.NaN);
            if (Number.isNaN(nth)) return 401;
            return clock.now() - (issuedAtMs[nth - 1] ?? 0) < 10_000 ? 200 : nth === 1 ? status : 403;
          },
        },
        {},
        { clock },
      );
      const keys = ['token.valid', 'data.first', 'data.expiredToken', 'data.newestToken'] as const;
      expect(keys.map((key) => statusOf(probes[key]))).toEqual([200, 200, 403, 200]);
      expect(repeated.map(statusOf).filter((one) => one === status).length).toBeGreaterThanOrEqual(5);
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

// What had no decision is sent again.

/** The requests that had no decision the first time. */
const sentAgain = ({ probes }: Observed) =>
  Object.values(probes).filter((probe) => 'id' in probe && probe.again);

for (const code of [429, 500, 503])
  test(`what was answered with ${code} is sent again once at the end, with a token of its own`, async () => {
    const isOut = () => api.sent.length >= 14 && api.sent.length < 33;
    const api: ReturnType<typeof fakeApi> = fakeApi({
      tokens: (form) => (isOut() ? code : isValid(form) ? 200 : 400),
      data(token, uses) {
        if (isOut() && code !== 500) return code;
        if (!/^issued-token-\d$/.test(token ?? '')) return isOut() ? code : 401;
        return uses > 6 && token === 'issued-token-1' ? 403 : 200;
      },
    });
    const evidence = await run(api);
    expect(sentAgain(evidence).length).toBeGreaterThan(2);
    expect(sentAgain(evidence).map(statusOf)).not.toContain(code);
    const last = 'the data with the newest token, after other requests were sent again';
    expect(api.sent.at(-2)?.what).toBe(last);
    // The undecided ones are kept next to the others that were sent again.
    expect(evidence.repeated.map(statusOf)).toContain(code);
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
