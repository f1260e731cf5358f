/** Deployments whose mitigation requests are wrong: each violates one rule of the profile nrao-ods. The corpus of feeds has the others. */
import { on } from '../behaviour.ts';
import { type Defect, defectsOf, UNDECIDED, wrong } from '../deployment.ts';
import { bytes, type Edit, firstRecord, json, records, type ServedRecord, times } from '../edits.ts';

/** Matches if only this rule is violated. */
const named = (rule: string) => `^expected records that keep the rule ${rule} \\((?!.*keep the rule)`;

/** Violates a rule about records. */
const broken = (rule: string, edit: Edit) =>
  wrong({ 'MRS-2b@nrao-ods': named(rule) }, on('served', edit), { profile: 'nrao-ods' });

const dayBefore = (time: string): string =>
  new Date(Date.parse(`${time}Z`) - 24 * 3600_000).toISOString().slice(0, 19) + time.slice(19);

/** A record that began a minute ago and ends in a second: a reader soon sees that it is still there. */
const endingSoon = (nowMs: number) => {
  const time = (ms: number) => new Date(ms).toISOString().replace('Z', '000');
  return (one: ServedRecord): ServedRecord => ({
    ...one,
    src_start_utc: [one.src_start_utc, time(nowMs - 60_000)].sort()[0],
    src_end_utc: time(nowMs + 1_000),
  });
};

/** Keeps serving the records of the first read, of which one ends soon. */
const stale = (): Edit => {
  let kept: Buffer | undefined;
  return (reply, moment) => {
    kept ??= firstRecord(endingSoon(moment.nowMs))(reply, moment).bytes;
    return bytes(() => kept ?? '')(reply, moment);
  };
};

export const recordDefects: readonly Defect[] = defectsOf({
  'rec-past: has an old record': () =>
    broken(
      'past',
      records((list) => [...list.slice(0, 1).map(times(dayBefore)), ...list]),
    ),
  'rec-bare-array: gives the list without an object around it': () =>
    wrong(
      { 'MRS-4.2g@nrao-ods': named('envelope') },
      on(
        'served',
        json((old) => old.ods_data),
      ),
      { profile: 'nrao-ods', ...UNDECIDED },
    ),
  'rec-stale: keeps serving the records of the first read': () => broken('stale', stale()),
});
