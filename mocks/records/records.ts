/** The records that the data consists of: a schedule on the mock's clock, or the content of a file. */
import { POINTER } from '../contract/json-pointer.ts';
import { MockError } from '../contract/mock-error.ts';
import type { Random } from '../state/random.ts';
import { readRecordsFile } from './file.ts';
import type { Site } from './instruments.ts';
import { createSchedule } from './schedule.ts';
import type { Records } from './source.ts';

/** What a profile declares about records: `x-records` of its document. */
export interface DeclaredRecords {
  /** JSON Pointer to their list in the body. */
  list: string;
  sites: readonly Site[];
  /** Ids of the sites in a schedule; undefined: all of them. */
  scheduledSites?: readonly string[];
}

export interface RecordsParts {
  /** Number of records of a schedule, or name of a file; default: 20 if the profile declares records. */
  given: number | string | undefined;
  /** Absent if the profile declares no records. */
  declared: DeclaredRecords | undefined;
  random: Random;
  /** Called once for each state of a file in which it cannot be read. */
  onFault: (error: unknown) => void;
}

const USUAL = 20;
const MOST = 100_000;

/** `x-records` of a contract. Throws MockError if no schedule can be made from it. */
export function declaredIn(document: Readonly<Record<string, unknown>>): DeclaredRecords | undefined {
  const declared = document['x-records'] as DeclaredRecords | undefined;
  if (declared === undefined || isUsable(declared ?? {})) return declared;
  throw new MockError(
    'x-records of the profile has no list, or a site without id, latDeg, lonDeg and elM, or scheduledSites that are not ' +
      'ids of sites. Write them as ods-record does.',
  );
}

const isUsable = ({ list, sites, scheduledSites }: Partial<DeclaredRecords>): boolean =>
  typeof list === 'string' &&
  POINTER.test(list) &&
  Array.isArray(sites) &&
  sites.length > 0 &&
  sites.every(
    (site) =>
      typeof site?.id === 'string' &&
      [site.latDeg, site.lonDeg, site.elM].every((value) => Number.isFinite(value)),
  ) &&
  (scheduledSites === undefined ||
    (Array.isArray(scheduledSites) &&
      scheduledSites.length > 0 &&
      scheduledSites.every((id) => sites.some((site) => site.id === id))));

/** Whether records are given by their number, and not by the name of a file. */
export const isCount = (given: number | string): given is number | `${number}` =>
  typeof given === 'number' || /^[+-]?[\d.]+$/.test(given);

/** Undefined: the data is the contract's example. Throws MockError for records that cannot be served. */
export function createRecords({ given, declared, random, onFault }: RecordsParts): Records | undefined {
  const count = given ?? (declared ? USUAL : undefined);
  if (count === '')
    throw new MockError('`records` is empty: use a number of records or a file name, or leave it out.');
  if (count === undefined) return undefined;
  if (!isCount(count)) return readRecordsFile(count, onFault);
  const number = Number(count);
  if (!Number.isInteger(number) || number < 0 || number > MOST)
    throw new MockError(
      `${count} is not a number of records. Use a whole number from 0 to ${MOST}, or the name of a JSON file.`,
    );
  if (!declared)
    throw new MockError(
      `The profile does not declare records, so the mock cannot make ${number} of them. ` +
        'Leave out --profile, use --profile nrao-ods, or give the name of a JSON file.',
    );
  const { list, sites, scheduledSites } = declared;
  const scheduled = sites.filter(({ id }) => scheduledSites?.includes(id) ?? true);
  return createSchedule({ list, sites: scheduled, count: number, random });
}
