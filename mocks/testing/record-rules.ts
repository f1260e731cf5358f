/** Rules on records, written for tests alone: nothing of it is what makes the records or judges deployments. */
const NUMBERS: Readonly<Record<string, readonly [number, number]>> = {
  site_lat_deg: [-90, 90],
  site_lon_deg: [-180, 180],
  site_el_m: [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY],
  src_ra_j2000_deg: [0, 360],
  src_dec_j2000_deg: [-90, 90],
  slew_sec: [0, Number.POSITIVE_INFINITY],
  trk_rate_ra_deg_per_sec: [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY],
  trk_rate_dec_deg_per_sec: [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY],
  freq_lower_hz: [0, Number.POSITIVE_INFINITY],
  freq_upper_hz: [0, Number.POSITIVE_INFINITY],
  dish_diameter_m: [0, Number.POSITIVE_INFINITY],
  corr_integ_time_sec: [0, Number.POSITIVE_INFINITY],
};
const TIMES = ['src_start_utc', 'src_end_utc'];
const TEXTS = ['site_id', 'src_id', 'version'];
const OPTIONAL = ['src_id', 'corr_integ_time_sec', 'subarray'];
const LEGACY = ['notes', 'src_radius', 'src_is_pulsar_bool'];

/** Where instruments stand, written down a second time. */
const PLACES = [
  [/^vla(?![a-z])/i, 34.07874917, -107.6177275, 2124],
  [/^gbt(?![a-z])/i, 38.433129, -79.839839, 824],
  [/^ata(?![a-z])/i, 40.817431, -121.470736, 1019.222],
  [/^wf(?![a-z])/i, 42.61294894, -71.49379705, 86.765],
  [/^atca(?![a-z])/i, -30.3128846, 149.5501388, 236.87],
  [/^askap(?![a-z])/i, -26.697, 116.631425, 361],
] as const;

type Read = Record<string, unknown>;

/** The rules that a body with `ods_data` breaks, each once. */
export function rulesBroken(text: string, nowMs: number): string[] {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return ['not-json'];
  }
  const list = (body as Read | null)?.ods_data;
  if (!Array.isArray(list)) return ['envelope'];
  const broken = new Set<string>();
  for (const one of list) for (const rule of ofRecord(one, nowMs)) broken.add(rule);
  const records = list.filter((one) => typeof one === 'object' && one !== null) as Read[];
  const zones = new Set(records.flatMap((one) => TIMES.map((name) => String(one[name]).endsWith('Z'))));
  if (zones.size > 1) broken.add('time-style');
  const starts = records.map((one) => msOf(one.src_start_utc)).filter((start) => !Number.isNaN(start));
  if (starts.some((start, nth) => start < (starts[nth - 1] ?? start))) broken.add('order');
  const known = records.map((one) =>
    JSON.stringify(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1))),
  );
  if (new Set(known).size < known.length) broken.add('duplicate');
  return [...broken].sort();
}

function ofRecord(record: unknown, nowMs: number): string[] {
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return ['type'];
  const one = record as Read;
  const broken: string[] = [];
  const is = (rule: string, wrong: boolean) => void (wrong && broken.push(rule));
  const [start, end] = TIMES.map((name) => msOf(one[name])) as [number, number];
  is('past', end < nowMs - 60_000);
  is('interval', start >= end);
  if (one.version === undefined && LEGACY.some((name) => name in one)) return [...broken, 'legacy-schema'];
  for (const name of [...Object.keys(NUMBERS), ...TIMES, ...TEXTS, 'subarray']) {
    const value = one[name] ?? undefined;
    const isNumber = !TIMES.includes(name) && !TEXTS.includes(name);
    if (value === undefined) is('required', !OPTIONAL.includes(name));
    else if (isNumber && typeof value === 'string') is('digit-string', true);
    else if (typeof value !== (isNumber ? 'number' : 'string')) is('type', true);
    else if (name === 'subarray') is('type', !Number.isInteger(value));
    else if (isNumber) {
      const [least, most] = NUMBERS[name] ?? [0, 0];
      is('range', (value as number) < least || (value as number) > most);
    } else is('time-format', TIMES.includes(name) && Number.isNaN(msOf(value)));
  }
  const [lower, upper] = [one.freq_lower_hz, one.freq_upper_hz];
  is('frequency-order', typeof lower === 'number' && typeof upper === 'number' && lower >= upper);
  const place = PLACES.find(([id]) => id.test(String(one.site_id)));
  if (place && [one.site_lat_deg, one.site_lon_deg, one.site_el_m].every((is) => typeof is === 'number')) {
    const [, lat, lon, el] = place;
    const away = Math.max(Math.abs(Number(one.site_lat_deg) - lat), Math.abs(Number(one.site_lon_deg) - lon));
    is('site-position', away > 1 || Math.abs(Number(one.site_el_m) - el) > 500);
  }
  return broken;
}

/** NaN for what is no UTC time of the calendar. */
function msOf(time: unknown): number {
  if (typeof time !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z?$/.test(time)) return Number.NaN;
  const ms = Date.parse(`${time.replace(/Z$/, '')}Z`);
  const shown = Number.isNaN(ms) ? '' : new Date(ms).toISOString();
  return shown.slice(0, 19) === time.slice(0, 19) ? ms : Number.NaN;
}
