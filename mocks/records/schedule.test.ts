import { expect, _baseTest as test } from '@playwright/test';
import { loadProfile } from '../contract/profile.ts';
import { createRandom } from '../state/random.ts';
import { declaredIn } from './records.ts';
import { createSchedule } from './schedule.ts';

interface Read {
  site_id: string;
  site_lat_deg: number;
  site_lon_deg: number;
  site_el_m: number;
  src_id: string;
  src_ra_j2000_deg: number;
  src_dec_j2000_deg: number;
  src_start_utc: string;
  src_end_utc: string;
  slew_sec: number;
  trk_rate_ra_deg_per_sec: number;
  trk_rate_dec_deg_per_sec: number;
  freq_lower_hz: number;
  freq_upper_hz: number;
  dish_diameter_m: number;
  corr_integ_time_sec: number;
  subarray: number;
  version: string;
}

const MINUTE = 60_000;
const FIRST = Date.parse('0001-01-01T00:00:00Z');
const LAST = Date.parse('9999-12-31T00:00:00Z');
const AT = Date.parse('2030-01-01T00:00:00Z');

/** Where instruments stand, written down a second time: the profile's own list is what is tested. */
const PLACES = [
  [/^vla_D$/, 34.07874917, -107.6177275, 2124],
  [/^gbt$/, 38.433129, -79.839839, 824],
  [/^ATA$/, 40.817431, -121.470736, 1019.222],
  [/^Wf$/, 42.61294894, -71.49379705, 86.765],
  [/^atca_6A$/, -30.3128846, 149.5501388, 236.87],
  [/^askap$/, -26.697, 116.631425, 361],
] as const;

const sitesOf = async () => declaredIn((await loadProfile('nrao-ods')).document)?.sites ?? [];

async function scheduleOf(count: number, seed = 'a seed') {
  const random = createRandom(seed);
  const schedule = createSchedule({ sites: await sitesOf(), count, list: '/ods_data', random });
  return (nowMs: number): Read[] => JSON.parse(schedule.body(nowMs).toString()).ods_data;
}

const ms = (time: string): number => Date.parse(`${time}Z`);
const sin = (degrees: number): number => Math.sin((degrees * Math.PI) / 180);
const cos = (degrees: number): number => Math.cos((degrees * Math.PI) / 180);
const asin = (value: number): number => (Math.asin(value) * 180) / Math.PI;

/** How high the source is above the site, in degrees, by the sidereal time in Greenwich. */
function elevationAt(one: Read, time: string): number {
  const days = (ms(time) - Date.UTC(2000, 0, 1, 12)) / (24 * 60 * MINUTE);
  const hourAngle = 280.4606 + 360.9856473 * days + one.site_lon_deg - one.src_ra_j2000_deg;
  const [lat, dec] = [one.site_lat_deg, one.src_dec_j2000_deg];
  return asin(sin(lat) * sin(dec) + cos(lat) * cos(dec) * cos(hourAngle));
}

/** The angle between two sources, in degrees. */
const separation = (one: Read, other: Read): number =>
  90 -
  asin(
    Math.min(
      1,
      sin(one.src_dec_j2000_deg) * sin(other.src_dec_j2000_deg) +
        cos(one.src_dec_j2000_deg) *
          cos(other.src_dec_j2000_deg) *
          cos(one.src_ra_j2000_deg - other.src_ra_j2000_deg),
    ),
  );

/** How fast instruments turn at most, in degrees of the sky per minute: a second time, too. */
const MOST_PER_MINUTE: Readonly<Record<string, number>> = { vla_D: 45, gbt: 41, atca_6A: 43, Wf: 234 };

/** What is wrong with a feed: nothing of this looks at how the schedule is made. */
function schemaProblem(records: readonly Read[], nowMs: number): string[] {
  const faults: string[] = [];
  const is = (fault: string, wrong: boolean) => wrong && faults.push(fault);
  let before = '';
  for (const one of records) {
    const place = PLACES.find(([id]) => id.test(one.site_id));
    is('site', place?.slice(1).join() !== [one.site_lat_deg, one.site_lon_deg, one.site_el_m].join());
    for (const time of [one.src_start_utc, one.src_end_utc]) {
      is('time form', !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/.test(time));
      is('time', !new Date(ms(time)).toISOString().startsWith(time.slice(0, 23)));
    }
    const lastsMs = ms(one.src_end_utc) - ms(one.src_start_utc);
    is('length', lastsMs > 3 * 60 * MINUTE);
    is('slew', !(one.slew_sec >= 0 && one.slew_sec * 1000 <= lastsMs - 29_999));
    is(
      'elevation',
      [one.src_start_utc, one.src_end_utc].some((time) => elevationAt(one, time) < 25),
    );
    is('past', ms(one.src_end_utc) < nowMs);
    is('order', one.src_start_utc < before);
    before = one.src_start_utc;
    is('right ascension', !(one.src_ra_j2000_deg >= 0 && one.src_ra_j2000_deg <= 360));
    is('declination', !(Math.abs(one.src_dec_j2000_deg) <= 90));
    const rate = Math.max(Math.abs(one.trk_rate_ra_deg_per_sec), Math.abs(one.trk_rate_dec_deg_per_sec));
    is('motion', !((rate * lastsMs) / 1000 < 1));
    is(
      'band',
      !(one.freq_lower_hz >= 1e8 && one.freq_lower_hz < one.freq_upper_hz && one.freq_upper_hz < 1e11),
    );
    is('dish', !(one.dish_diameter_m > 0) || !(one.corr_integ_time_sec > 0));
    is('subarray', !Number.isInteger(one.subarray));
    is('version', one.version !== 'v1.0.0');
    is('members', Object.keys(one).length !== 18 || Object.values(one).includes(null as never));
  }
  for (const [one, next] of consecutive(records)) is('overlap', next.src_start_utc < one.src_end_utc);
  is('hours', records.length >= 5 && records.every((one) => one.src_ra_j2000_deg < 24));
  return [...new Set(faults)];
}

/** Each record and the next of its subarray. */
function consecutive(records: readonly Read[]): [one: Read, next: Read][] {
  const last = new Map<string, Read>();
  return records.flatMap((next): [Read, Read][] => {
    const track = `${next.site_id} ${next.subarray}`;
    const one = last.get(track);
    last.set(track, next);
    return one ? [[one, next]] : [];
  });
}

test('an observation starts when the one before it ends, and the dish turns no faster than it can', async () => {
  for (const seed of ['a', 'b', 'c']) {
    const records = (await scheduleOf(2000, seed))(AT);
    const pairs = consecutive(records);
    expect(pairs.filter(([one, next]) => one.src_end_utc !== next.src_start_utc)).toEqual([]);
    const tooFast = pairs.filter(
      ([one, next]) => separation(one, next) / (next.slew_sec / 60) > (MOST_PER_MINUTE[next.site_id] ?? 202),
    );
    expect(tooFast).toEqual([]);
    expect(pairs.length).toBe(2000 - 8);
  }
});

test('instruments have several integration times', async () => {
  const records = (await scheduleOf(1000))(AT);
  const times = new Set(records.map((one) => one.corr_integ_time_sec));
  expect([...times].sort((one, other) => one - other)).toEqual([1, 2, 3, 4, 5, 8, 10]);
});

test('a short feed has few subarrays, so that it has records that are still to come', async () => {
  for (let nth = 0; nth < 20; nth++) {
    const records = (await scheduleOf(3, `seed ${nth}`))(AT);
    expect(new Set(records.map((one) => `${one.site_id} ${one.subarray}`)).size).toBe(1);
    expect(records.map((one) => ms(one.src_start_utc) <= AT)).toEqual([true, false, false]);
  }
});

test('feed is valid and has the number of records asked for, at any moment and for any seed', async () => {
  const draw = createRandom('moments');
  for (let nth = 0; nth < 150; nth++) {
    const nowMs = Math.floor(FIRST + draw.share(`moment ${nth}`) * (LAST - FIRST));
    const count = 1 + Math.floor(draw.share(`count ${nth}`) * 60);
    const records = (await scheduleOf(count, `seed ${nth}`))(nowMs);
    const which = `seed ${nth} at ${new Date(nowMs).toISOString()}`;
    expect(schemaProblem(records, nowMs), which).toEqual([]);
    expect(records.length, which).toBe(count);
  }
});

test('a record stays as it is until it ends, and what is new is new at the horizon', async () => {
  const at = await scheduleOf(30);
  const problems: string[] = []; // One `expect` for all: each costs a stack trace.
  let before = at(AT);
  for (let nowMs = AT; nowMs < AT + 4 * 60 * MINUTE; nowMs += 17_000) {
    const now = at(nowMs);
    problems.push(...schemaProblem(now, nowMs));
    const left = before.filter((one) => ms(one.src_end_utc) >= nowMs);
    if (JSON.stringify(now.slice(0, left.length)) !== JSON.stringify(left))
      problems.push(`changed at ${new Date(nowMs).toISOString()}`);
    before = now;
  }
  expect(problems).toEqual([]);
});

test('a record is there at its very end, and has gone a millisecond later', async () => {
  const at = await scheduleOf(20);
  let nowMs = AT;
  for (let nth = 0; nth < 200; nth++) {
    const ends = at(nowMs).map((one) => ms(one.src_end_utc));
    const next = Math.min(...ends);
    expect(schemaProblem(at(next), next)).toEqual([]);
    expect(at(next)).toEqual(at(nowMs));
    if (nth < 20) expect((await scheduleOf(20))(next), 'not asked before').toEqual(at(nowMs));
    expect(at(next + 1).filter((one) => ms(one.src_end_utc) === next)).toEqual([]);
    expect(at(next + 1)).toHaveLength(20);
    nowMs = next + 1;
  }
});

test('the same seed gives the same bytes, whatever was asked before; another gives others', async () => {
  const [one, other, third] = [await scheduleOf(50), await scheduleOf(50), await scheduleOf(50, 'another')];
  const days = [0, 3, 700, 1, -4000].map((days) => AT + days * 24 * 60 * MINUTE);
  const first = days.map(one);
  expect(days.toReversed().map(other).toReversed()).toEqual(first);
  expect(days.map(third)).not.toEqual(first);
});

test('the body is the same buffer until a record ends, and when time goes back another', async () => {
  const random = createRandom('a seed');
  const schedule = createSchedule({ sites: await sitesOf(), count: 20, list: '/ods_data', random });
  const body = schedule.body(AT);
  const ends = JSON.parse(body.toString()).ods_data.map((one: Read) => ms(one.src_end_utc));
  const next = Math.min(...ends);
  expect(schedule.body(next + 0.5)).toBe(body);
  const later = schedule.body(next + 1);
  expect(later).not.toBe(body);
  expect(schedule.body(AT)).toEqual(body);
  expect(later.toString()).not.toBe(body.toString());
});

test('there are running records and records to come, of arrays with several subarrays', async () => {
  const at = await scheduleOf(200);
  const records = at(AT);
  const running = records.filter((one) => ms(one.src_start_utc) <= AT);
  expect(running.length).toBeGreaterThanOrEqual(3);
  expect(records.length).toBeGreaterThan(running.length);
  expect(new Set(records.map((one) => one.site_id)).size).toBe(PLACES.length);
  const ofVla = records.filter((one) => one.site_id === 'vla_D');
  expect([...new Set(ofVla.map((one) => one.subarray))].sort()).toEqual([0, 1, 2]);
  expect(records.some((one) => one.trk_rate_ra_deg_per_sec !== 0)).toBe(true);
  expect(records.some((one) => one.freq_lower_hz === 1_990_000_000)).toBe(true);
  expect(records.some((one) => one.freq_lower_hz === 10_700_000_000)).toBe(true);
});

test('ten thousand records are as right as twenty', async () => {
  const at = await scheduleOf(10_000);
  const records = at(AT);
  expect(schemaProblem(records, AT)).toEqual([]);
  expect(records.length).toBe(10_000);
  expect(records.slice(0, 30)).toEqual((await scheduleOf(30))(AT));
});

test('where the calendar ends there are fewer, and no time of a fifth digit', async () => {
  const at = await scheduleOf(1000);
  for (const end of ['9999-12-31T12:00:00.000Z', '9999-12-31T23:59:59.999Z', '0000-01-01T00:00:00.000Z']) {
    const nowMs = Date.parse(end);
    const records = at(nowMs);
    expect(schemaProblem(records, nowMs)).toEqual([]);
    expect(records.length).toBeLessThan(1000);
  }
});

for (const [list, empty] of [
  ['', '[]'],
  ['/ods_data', '{"ods_data":[]}'],
  ['/a~1b/"c"', '{"a/b":{"\\"c\\"":[]}}'],
] as const)
  test(`the list is where ${list || 'the empty pointer'} leads, empty too`, async () => {
    const [sites, random] = [await sitesOf(), createRandom('a seed')];
    const bodyOf = (count: number) => createSchedule({ sites, count, list, random }).body(AT).toString();
    expect(bodyOf(0)).toBe(empty);
    const [head = '', tail = ''] = empty.split('[]');
    expect(JSON.parse(bodyOf(2).slice(head.length, bodyOf(2).length - tail.length))).toHaveLength(2);
    expect(bodyOf(2)).toMatch(/^[[{]/);
    JSON.parse(bodyOf(2));
  });

test('an unknown site is observed too, whatever its name', async () => {
  const site = { id: 'Köln "1"', latDeg: 51, lonDeg: 7, elM: 60 };
  const parts = { sites: [site], count: 5, list: '', random: createRandom('a seed') };
  const records: Read[] = JSON.parse(createSchedule(parts).body(AT).toString());
  expect(records.map((one) => one.site_id)).toEqual(Array(5).fill(site.id));
});
