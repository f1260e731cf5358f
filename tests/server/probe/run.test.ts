import { createServer } from 'node:http';
import { expect, _baseTest as test } from '@playwright/test';
import { createVirtualClock, realClock } from '../../support/clock.ts';
import { createSecrets } from '../../support/secrets.ts';
import { alter } from '../forge.ts';
import { type Observed, type Probe, type Probes, repeatsOf } from '../support/evidence.ts';
import {
  fakeApi,
  first,
  isValid,
  run,
  type Script,
  statusOf,
  target,
  validForm,
} from '../testing/fake-api.ts';
import { listening } from '../testing/listening.ts';
import { describePlan } from './dry-run.ts';
import { ClockFault, createAdvanceClock } from './expiry.ts';
import { defaultThrottle, type HttpRequest } from './http.ts';
import { gather } from './run.ts';
import { readTarget, type Target } from './target.ts';
import { listen } from './testing/raw-server.ts';

/** The requests of a run with nothing unusual, as the plan lists them: a token of one part has no claims and no signature. */
const planned = (to: Target): string[] =>
  describePlan(to)
    .split('\n')
    .flatMap((line) => /^(?:GET|POST|HEAD|OPTIONS) +\S+ +(.*)$/.exec(line)?.[1] ?? [])
    .filter((what) => !/its claims|its signature|unsigned/.test(what));
const PLAN = planned(target);

interface Played extends Observed {
  probes: Required<Probes>;
  sent: ReturnType<typeof fakeApi>['sent'];
  used(probe: Probe): string | undefined;
}

/** A run against a script, with what was sent. */
async function play(script: Script = {}, to: Partial<Target> = {}, more = {}): Promise<Played> {
  const api = fakeApi(script);
  const observed = await run(api, { ...target, ...to }, more);
  const used = (probe: Probe) => api.sent.find(({ what }) => what === probe.what)?.token;
  return { ...observed, probes: observed.probes as Required<Probes>, sent: api.sent, used };
}

test('each request of the plan is sent once, in order, as it was announced', async () => {
  const progress: string[] = [];
  const { sent, probes, repeated, used, tokenRepeats } = await play(
    {},
    {},
    { progress: progress.push.bind(progress) },
  );
  expect(repeated).toEqual([]);
  expect(sent.map(({ what }) => what)).toEqual(PLAN);
  expect(progress.filter((text) => text.startsWith('request: '))).toEqual(
    PLAN.map((what) => `request: ${what}`),
  );
  expect(progress).toContain('waiting for the token to expire: 8 s');
  const [one, two, four] = ['issued-token-1', 'issued-token-2', 'issued-token-4'];
  expect(
    [probes['data.first'], probes['data.second'], probes['data.third'], probes['data.expiredToken']].map(
      used,
    ),
  ).toEqual(Array(4).fill(one));
  expect([used(probes['data.freshToken']), used(probes['open.tokenBefore'])]).toEqual([two, two]);
  expect([probes['open.head'], probes['open.options'], probes['open.withoutSlash']].map(used)).toEqual([
    four,
    four,
    four,
  ]);
  expect([used(probes['data.withoutToken']), used(probes['data.alteredToken'])]).toEqual([
    undefined,
    alter(four),
  ]);
  expect(used(probes['data.unknownToken'])).toMatch(/^[\w-]{32}$/);
  expect([probes['open.head'], probes['open.options'], probes['open.withoutSlash']].map(statusOf)).toEqual([
    405, 405, 405,
  ]);
  expect(tokenRepeats).toBe(false);
});

test('valid credentials are posted four times, and every form after them is wrong in one way', async () => {
  const forms = (await play()).sent.flatMap(({ form }) => form ?? []);
  expect(forms.filter((form) => isValid(form))).toHaveLength(4);
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
    ...changed('client_id', '', 'statio', 'tation', 'stationx', 'STATION'),
    { grant_type, client_id: random },
    ...changed('client_secret', '', 'hunter2 ', 'HUNTER2'),
  ]);
});

test('a forged token is a secret too', async () => {
  const secrets = createSecrets();
  await play({}, {}, { secrets });
  expect(secrets.redact(alter('issued-token-4'))).toBe('‹the token, one character altered›');
});

const BY_DATA = 'the data without the slash at the end of its path';
const NO_TOKEN = { notSent: 'No token was obtained (see MRS-4.1a and MRS-2a).' };
const REFUSED = { notSent: expect.stringMatching(/^The credentials were refused\. /) };
const DOWN = {
  notSent:
    'Not sent: 3 requests in a row had no answer; the deployment refused the connection. Check MRS_BASE_URL, and that it is up.',
};
const served = (probe: Probe) => expect(statusOf(probe)).toBe(200);

for (const [what, script, to, check] of [
  [
    'a deployment that never answers is asked three times',
    { down: () => true },
    {},
    ({ sent, probes, health }) => {
      expect(sent).toHaveLength(3);
      for (const probe of [
        probes['token.unknownClientId'],
        probes['token.again'],
        probes['data.unknownToken'],
        health[0]?.plain,
      ])
        expect(probe).toMatchObject(DOWN);
    },
  ],
  [
    'a deployment that has answered before may hang up on any number of requests',
    { down: (nth) => nth > 4 },
    {},
    ({ sent }) => expect(sent.length).toBeGreaterThan(30),
  ],
  [
    'an answer in between starts the count of failures anew',
    { down: (nth) => nth % 3 !== 0 },
    {},
    ({ sent, ...observed }) => {
      expect(JSON.stringify(observed)).not.toContain('Not sent');
      expect(sent.at(-1)?.what).toBe(BY_DATA);
    },
  ],
  [
    'where no token is obtained, nothing that needs one is sent',
    { tokens: () => 500 },
    {},
    ({ probes, expiry }) => {
      for (const probe of [
        probes['data.first'],
        probes['data.second'],
        probes['data.third'],
        probes['data.alteredToken'],
        probes['data.freshToken'],
      ])
        expect(probe).toMatchObject(NO_TOKEN);
      expect(probes['data.expiredToken']).toMatchObject({
        notSent: expect.stringContaining('No token was accepted'),
      });
      expect(statusOf(probes['data.withoutToken'])).toBe(401);
      expect(probes['token.withAuthorization']).toMatchObject({
        notSent: expect.stringMatching(/ was not refused\.$/),
      });
      expect(expiry).toEqual({ kind: 'none' });
    },
  ],
  [
    'a form that is refused is sent once more with an Authorization header',
    { tokens: (_, authorization) => (authorization ? 200 : 401) },
    {},
    ({ probes, sent }) => {
      expect([probes['token.valid'], probes['token.withAuthorization']].map(statusOf)).toEqual([401, 200]);
      const basic = `Basic ${Buffer.from('station:hunter2').toString('base64')}`;
      expect(sent.flatMap(({ authorization }) => authorization ?? [])).toEqual([basic]);
    },
  ],
  ...[400, 401, 403].map(
    (status): Row => [
      `credentials answered with ${status} are sent again by a header only`,
      { tokens: () => status },
      {},
      ({ sent, probes }) => {
        expect(sent.filter(({ authorization }) => authorization)).toHaveLength(1);
        expect(sent.filter(({ form }) => form)).toHaveLength(2);
        const others = [
          probes['token.again'],
          probes['token.unknownClientId'],
          probes['token.cutClientSecret'],
          probes['data.ownCredentials'],
        ];
        for (const probe of others) expect(probe).toMatchObject(REFUSED);
        expect(statusOf(probes['data.withoutToken'])).toBe(401);
      },
    ],
  ),
  ...[408, 429, 500, 503].map(
    (status): Row => [
      `credentials answered with ${status} are sent again in the form only`,
      { tokens: () => status },
      {},
      ({ sent }) => expect(sent.filter(({ authorization }) => authorization)).toEqual([]),
    ],
  ),
  [
    'a secret without letters is not sent in the other case, and nothing is missing without it',
    {},
    { clientSecret: '123456' },
    ({ probes }) => {
      expect(probes['token.otherCaseClientSecret']).toMatchObject({ isOptional: true });
      expect(probes['token.otherCaseClientId']).not.toHaveProperty('isOptional');
    },
  ],
  [
    'a safe run sends no wrong secret for the real client',
    {},
    { safe: true },
    ({ probes, sent }) => {
      expect(probes['token.cutClientSecret']).toMatchObject({ notSent: expect.stringContaining('--safe') });
      for (const { form } of sent)
        if (form?.client_id === 'station') expect([undefined, 'hunter2']).toContain(form.client_secret);
    },
  ],
  [
    'a token that expires during the first reads is renewed once, and the beginning is sent again',
    { data: first((uses) => uses > 1) },
    {},
    ({ probes, repeated }) => {
      expect(repeated.slice(0, 4).map(({ what }) => what)).toEqual(PLAN.slice(0, 4));
      expect([probes['data.first'], probes['data.second'], probes['data.third']].map(statusOf)).toEqual([
        200, 200, 200,
      ]);
      expect('id' in probes['token.valid'] && probes['token.valid'].id).toBe('x5');
    },
  ],
  [
    'a second refusal of the first reads is not followed by another renewal',
    { data: (token, uses) => (uses > 1 ? 403 : token ? 200 : 401) },
    {},
    ({ probes, repeated }) => {
      expect(repeated.filter(({ what }) => what === probes['token.valid'].what)).toHaveLength(1);
      expect([probes['data.first'], probes['data.second']].map(statusOf)).toEqual([200, 403]);
    },
  ],
  ...(
    [
      ['opens the data is used', 200, 200],
      ['does not open the data is discarded', 401, undefined],
    ] as const
  ).map(
    ([how, status, seen]): Row => [
      `a token in another place than the field token that ${how}`,
      { takenFrom: '/access_token', data: (token) => (token ? status : 401) },
      {},
      ({ probes, refusedTokens }) => {
        expect(statusOf(probes['data.first'])).toBe(seen);
        const takenFrom = seen && '/access_token';
        expect(
          'id' in probes['token.valid'] && probes['token.valid'].response?.tokenResponse?.takenFrom,
        ).toBe(takenFrom);
        expect(refusedTokens).toHaveLength(seen ? 0 : 3);
      },
    ],
  ),
  ...(
    [
      ['opens the data, it was issued all the same', 200, { response: { tokenResponse: { issued: true } } }],
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
        if (status !== 503) expect(refusedTokens.map(statusOf)).toEqual(Array(23).fill(status));
        expect(probes['token.cutClientSecret']).toMatchObject(judged);
      },
    ],
  ),
  [
    'a read of the beginning without a decision is sent again before its token expires',
    {
      data: (token, uses) =>
        token === 'issued-token-1' && uses === 2 ? 503 : first((nth) => nth > 5)(token, uses),
    },
    {},
    ({ probes, sent }) => {
      expect(probes['data.second']).toMatchObject({ again: true, response: { status: 200 } });
      const nths = sent.flatMap(({ what }, nth) => (what === probes['data.second'].what ? nth : []));
      expect(nths).toEqual([2, 4]);
    },
  ],
  ...(
    [
      [
        'that refuses is asked with the token',
        ['/a', '/b'],
        (token) => (token ? 200 : 403),
        [403, 200, 403, 200],
      ],
      ['that knows no GET is asked by HEAD', ['/a'], (_, method) => (method === 'HEAD' ? 200 : 405), [200]],
      [
        'is asked by the method before its path',
        ['POST /a'],
        (_, by) => (by === 'POST' ? 204 : 405),
        [204, 204],
      ],
      ['that is not configured is not asked', [], () => 200, []],
    ] as [string, string[], NonNullable<Script['health']>, number[]][]
  ).map(
    ([how, healthPaths, health, statuses]): Row => [
      `a health check ${how}`,
      { health },
      { healthPaths },
      (played) => {
        const answers = played.health.flatMap((one) => Object.values(one));
        expect(answers.map(statusOf)).toEqual(statuses);
        const by = statuses.length === 1 ? ', by HEAD' : '';
        if (answers[0])
          expect(answers[0].what).toBe(`the health check ${healthPaths[0]} without a token${by}`);
      },
    ],
  ),
] as Row[])
  test(what, async () => void check(await play(script, to)));

type Row = [what: string, script: Script, to: Partial<Target>, check: (played: Played) => void];

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
    const renewals = repeated.filter(({ what }) => what === 'the form with the same credentials again');
    if (!isIssued) {
      expect(new Set(renewals.map(statusOf))).toEqual(new Set([429]));
      const notSent = 'The token has expired, and a new one was not obtained.';
      return expect(probes['data.cutToken']).toMatchObject({ notSent });
    }
    expect(renewals.length).toBeGreaterThan(2);
    expect(used(probes['data.alteredToken'])).toMatch(/^issued-xoken-[5-9]$/);
    const control = sent.findIndex(({ what }) => what === probes['data.control'].what);
    expect(sent[control - 1]?.form).toEqual(validForm);
  });

// What had no decision is sent again.

/** The requests that had no decision the first time. */
const sentAgain = ({ probes }: Observed) =>
  Object.values(probes).filter((probe) => 'id' in probe && probe.again);

for (const code of [408, 429, 500, 502, 503, 504])
  test(`what was answered with ${code} is sent again once at the end, with a token of its own`, async () => {
    const isOut = () => api.sent.length >= 11 && api.sent.length < 30;
    const api: ReturnType<typeof fakeApi> = fakeApi({
      tokens: (form) => (isOut() ? code : isValid(form) ? 200 : 400),
      data(token, uses) {
        if (isOut() && code !== 500) return code;
        if (!/^issued-token-\d$/.test(token ?? '')) return isOut() ? code : 401;
        return uses > 4 && token === 'issued-token-1' ? 403 : 200;
      },
    });
    const evidence = await run(api);
    expect(sentAgain(evidence).length).toBeGreaterThan(2);
    expect(sentAgain(evidence).map(statusOf)).not.toContain(code);
    const last = 'the data with the newest token, after other requests were sent again';
    expect(api.sent.at(-1)?.what).toBe(last);
    // The undecided ones are kept next to the others that were sent again.
    expect(evidence.repeated.map(statusOf)).toContain(code);
  });

test('nothing is sent again to a deployment that does not serve the data at the end', async () => {
  const expires = first(() => api.sent.length > 8);
  const data: typeof expires = (token, uses) => (api.sent.length > 40 ? 429 : expires(token, uses));
  const api: ReturnType<typeof fakeApi> = fakeApi({ data });
  expect(sentAgain(await run(api))).toEqual([]);
  expect(api.sent.filter(({ what }) => what.includes('before other requests'))).toHaveLength(5);
});

test('a valid token that is refused at the end is sent once more after a second', async () => {
  const clock = createVirtualClock();
  const sentAt: number[] = [];
  const { probes, repeated } = await play(
    {
      data(token, uses) {
        if (token !== 'issued-token-4') return first((nth) => nth > 4)(token, uses);
        sentAt.push(clock.now());
        return uses === 2 ? 401 : 200;
      },
    },
    {},
    { clock },
  );
  served(probes['data.control']);
  expect(repeatsOf(probes['data.control'], { repeated }).map(statusOf)).toEqual([401]);
  expect((sentAt[2] ?? 0) - (sentAt[1] ?? 0)).toBe(1000);
});

// Expiry.

/** A run at a deployment whose first token is refused by `status` from an age on, and the ages at which it was sent. */
async function expire(overSeconds: number, to: Partial<Target> = {}, status = 403, isMoved = false) {
  const clock = createVirtualClock();
  const began = clock.now();
  let moved = 0;
  const age = () => moved + (clock.now() - began) / 1000;
  const ages: number[] = [];
  const advanceClock = async (seconds: number) => {
    moved += seconds;
  };
  const data = (token: string | undefined) => {
    if (token !== 'issued-token-1') return token ? 200 : 401;
    ages.push(age());
    return age() >= overSeconds ? status : 200;
  };
  const played = await play({ data }, to, { clock, ...(isMoved && { advanceClock }) });
  return { ...played, ages: ages.slice(3) };
}

for (const [what, [over, to, status, isMoved], seen, expiry, ages] of [
  [
    'that was refused is not sent again before each replica must refuse it',
    [10, { expiredToken: 'old-token' }],
    403,
    { kind: 'waited', lifetimeSeconds: 10, ageSeconds: 10.05 },
    [8, 10.05, 12, 12, 12],
  ],
  [
    'that expires a little late is sent again until it is refused',
    [10.1],
    403,
    { kind: 'waited', lifetimeSeconds: 10, ageSeconds: 10.15 },
    [8, 10.05, 10.15, 12, 12, 12],
  ],
  [
    'that does not expire is watched for twice its lifetime',
    [Number.POSITIVE_INFINITY, { tokenLifetimeSeconds: 120 }],
    200,
    { kind: 'waited', lifetimeSeconds: 120, ageSeconds: 240 },
  ],
  [
    'that expires late shows the ages between which it expired',
    [17],
    403,
    {
      ...{ kind: 'waited', lifetimeSeconds: 10, ageSeconds: expect.closeTo(18.4, 1) },
      late: { acceptedSeconds: expect.closeTo(16.9, 1), refusedSeconds: expect.closeTo(18.4, 1) },
    },
  ],
  [
    'that is accepted late, and then answered with an error, counts as accepted',
    [17, {}, 503],
    200,
    { kind: 'waited', lifetimeSeconds: 10, ageSeconds: expect.closeTo(16.9, 1) },
  ],
  [
    'of our own mock expires by its clock, however long the lifetime',
    [86_400, { tokenLifetimeSeconds: 86_400 }, 403, true],
    403,
    { kind: 'clock', lifetimeSeconds: 86_400 },
    [77_759, 86_400, 95_041, 95_041, 95_041].map((age) => expect.closeTo(age, -1)),
  ],
  [
    'of our own mock that expires late is found in the same way',
    [150, { tokenLifetimeSeconds: 100 }, 403, true],
    403,
    {
      ...{ kind: 'clock', lifetimeSeconds: 100 },
      late: { acceptedSeconds: expect.closeTo(141.4, 1), refusedSeconds: expect.closeTo(158.7, 1) },
    },
  ],
] as [string, Parameters<typeof expire>, number, object, unknown[]?][])
  test(`a token ${what}`, async () => {
    const played = await expire(over, to, status, isMoved);
    expect(statusOf(played.probes['data.expiredToken'])).toBe(seen);
    expect(played.expiry).toEqual(expiry);
    if (ages) expect(played.ages).toEqual(ages);
    expect(played.sent.length).toBeLessThanOrEqual(defaultThrottle.budget);
    const reads = played.sent.filter(({ what: one }) => one === played.probes['data.expiredToken'].what);
    expect(repeatsOf(played.probes['data.expiredToken'], played)).toHaveLength(reads.length - 1);
  });

for (const [what, script, to, more, notSent] of [
  [
    'the clock of the mock cannot be moved',
    {},
    {},
    { advanceClock: () => Promise.reject(new ClockFault('It was not moved.')) },
    /^It was not moved\.$/,
  ],
  ['the data is refused from the start', { data: () => 403 }, {}, {}, /^No token was accepted/],
  ['there is no lifetime', {}, { tokenLifetimeSeconds: undefined }, {}, /Set --token-lifetime \(MRS_TOKEN_/],
  [
    'a lifetime is too long to wait for',
    {},
    { tokenLifetimeSeconds: 121 },
    {},
    /^A lifetime of 121 s .*MRS_EXPIRED_TOKEN/,
  ],
] as [string, Script, object, object, RegExp][])
  test(`where ${what}, no expiry is tested, and a sentence says why`, async () => {
    const { probes, expiry, sent } = await play(script, to, more);
    expect([probes['data.expiredToken'], expiry]).toMatchObject([
      { notSent: expect.stringMatching(notSent) },
      { kind: 'none' },
    ]);
    expect(sent.map(({ what: one }) => one)).not.toContain('the data with the expired token');
    const printed = describePlan({ ...target, ...to });
    if ('tokenLifetimeSeconds' in to) expect(printed).not.toContain('the data with the expired token');
  });

for (const tokenLifetimeSeconds of [undefined, 121])
  test(`the expired token of the operator is used with the lifetime ${tokenLifetimeSeconds}`, async () => {
    const to = { tokenLifetimeSeconds, expiredToken: 'old-token' } as object;
    const { expiry, probes, used } = await play({}, to);
    expect([expiry, statusOf(probes['data.expiredToken'])]).toEqual([{ kind: 'asserted' }, 401]);
    expect(used(probes['data.expiredToken'])).toBe('old-token');
    const printed = describePlan({ ...target, ...to });
    expect(printed).toContain('the data with the expired token');
    expect(printed).not.toContain('old-token');
  });

for (const [what, answer, says] of [
  [
    'it is no mock',
    { status: 404, headers: [], body: Buffer.alloc(0) },
    /__mock\/clock answered 404\. Give /,
  ],
  ['it does not answer', { failure: 'refused the connection' }, /__mock\/clock refused the connection\.$/],
  ['it is moved', { status: 200, headers: [], body: Buffer.from('{}') }, undefined],
] as const)
  test(`the clock of the mock is moved at its root, by the key, which no message holds: ${what}`, async () => {
    const asked: HttpRequest[] = [];
    const exchange = async (request: HttpRequest) => {
      asked.push(request);
      return answer;
    };
    const advance = createAdvanceClock('http://127.0.0.1:4010/api', 'the-key', {
      exchange,
      close: async () => {},
    });
    const message = await advance(900).then(
      () => undefined,
      (error: ClockFault) => error.message,
    );
    if (says) expect(message).toMatch(says);
    expect(message ?? '').not.toContain('the-key');
    expect(asked).toEqual([
      {
        ...{ method: 'PUT', url: 'http://127.0.0.1:4010/__mock/clock' },
        headers: { authorization: 'Bearer the-key', 'content-type': 'application/json' },
        body: '{"action":"advance","by":900}',
      },
    ]);
  });

// The plan.

test('the plan lists every request with its cost, in 80 columns, and sends nothing', async () => {
  let requests = 0;
  await using server = await listening(createServer((_, response) => response.end(`${++requests}`)));
  const printed = describePlan({ ...target, baseUrl: server.url });
  expect(PLAN).toHaveLength(71);
  expect(printed).toContain(' 4 of them token requests with valid credentials, 4 with');
  expect(printed).not.toContain('hunter2');
  for (const line of printed.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
  expect(describePlan({ ...target, safe: true })).toContain(', 0 with a wrong\n');
  expect(requests).toBe(0);
});

// Headers of a gateway, over HTTP.

const KEY = 'gate-7f3a9c51e2d8';

for (const [name, value] of [
  ['X-Api-Key', KEY],
  ['X-Internal', 'true'],
] as const)
  test(`the header ${name} of a gateway is sent, and a key is in no evidence, however it is repeated`, async () => {
    const body = JSON.stringify({
      ...{
        plain: KEY,
        base64: Buffer.from(`gateway:${KEY}`).toString('base64'),
        percent: `%67${KEY.slice(1)}`,
      },
    });
    await using peer = await listen((socket) =>
      socket.end(
        `HTTP/1.1 403 No ${KEY}\r\ncontent-type: application/json\r\nlocation: /?key=${KEY}\r\n` +
          `content-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
      ),
    );
    const env = {
      ...{ MRS_BASE_URL: peer.url, MRS_CLIENT_ID: 'acme', MRS_CLIENT_SECRET: 's3cret-of-acme' },
      ...{ MRS_HEADER: `${name}=env:GATEWAY_KEY`, GATEWAY_KEY: value },
    };
    const secrets = createSecrets();
    const evidence = await gather(readTarget(env), { secrets, clock: realClock, progress: () => {} });
    expect(peer.requests[0]).toContain(`\r\n${name}: ${value}\r\n`);
    // A short value, such as a tenant, is no key.
    if (value !== KEY) return expect(secrets.leaks(value)).toEqual([]);
    const text = JSON.stringify(evidence);
    for (const alias of ['["X-Api-Key","‹$GATEWAY_KEY›"]', '["location","/?key=‹$GATEWAY_KEY›"]'])
      expect(text.includes(alias), 'the alias is shown').toBe(true);
    expect(text.includes(KEY.slice(1)), 'the key is in the evidence').toBe(false);
    expect([secrets.leaks(text), secrets.leaks(KEY)]).toEqual([[], ['$GATEWAY_KEY']]);
  });
