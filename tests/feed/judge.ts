/** Judges the records of a feed, one by one and together. */
import { append } from '@hyperjump/json-pointer';
import type { FeedContract, LegacySchema, RecordSchema } from './feed-contract.ts';
import { type FeedVerdict, type Findings, quote } from './findings.ts';
import { checkBands } from './rules/bands.ts';
import { checkSchema, checkValues } from './rules/fields.ts';
import { createObservationRules } from './rules/observations.ts';
import type { JsonRecord, RecordContext } from './rules/record.ts';
import { createSiteRules } from './rules/sites.ts';
import { checkTarget, createHourRule } from './rules/targets.ts';
import { createTimeRules } from './rules/times.ts';

/** `listPointer` is where the list is in the body; `nowMs`: when it was served, in milliseconds since 1970. */
export function judgeRecords(
  list: readonly unknown[],
  listPointer: string,
  contract: FeedContract,
  nowMs: number,
  findings: Findings,
): Pick<FeedVerdict, 'sites' | 'lastEnded' | 'unjudged'> {
  const context: RecordContext = {
    index: 0,
    report: (rule, name, seen, ruleClass) =>
      findings.report(rule, { pointer: context.pointerTo(context.index, name), seen }, ruleClass),
    pointerTo(index, name) {
      const record = append(String(index), listPointer);
      return name === undefined ? record : append(name, record);
    },
  };
  const { report } = context;
  const checkSite = createSiteRules(contract.sites, context);
  const times = createTimeRules(nowMs, context);
  const observations = createObservationRules(context);
  const hours = createHourRule(report);
  const siteIds = new Set<string>();
  const versions = new Set<string>();
  const unknownFields = new Set<string>();

  function checkRecord(record: JsonRecord): void {
    if (typeof record.site_id === 'string') siteIds.add(record.site_id);
    const legacy = legacySchemaOf(record);
    const schema: RecordSchema = legacy ?? contract;
    if (legacy && !legacy.isPermitted) report('legacy-schema', undefined, whyLegacy(record, legacy));
    checkSchema(record, schema, report);
    noteUnknownFields(record, schema);
    if (!legacy) checkVersion(record.version);
    const site = checkSite(record);
    checkBands(record, site.site, report);
    const interval = times.check(record);
    checkValues(record, legacy ? undefined : contract, interval, nowMs, report);
    checkTarget(record, site.place, interval, report);
    hours.note(record);
    if (interval) observations.check(record, interval, site);
  }

  /** The predecessor of the schema, if `record` follows it: it has a field of it, and no version. */
  function legacySchemaOf(record: JsonRecord): LegacySchema | undefined {
    const { legacy } = contract;
    if (!legacy || (record.version !== undefined && record.version !== null)) return undefined;
    return legacy.marks.some((name) => Object.hasOwn(record, name)) ? legacy : undefined;
  }

  /** The fields of the predecessor, and all that the schema requires and the record lacks. */
  function whyLegacy(record: JsonRecord, { marks }: LegacySchema): string {
    const own = marks.filter((name) => Object.hasOwn(record, name));
    const missing = contract.fields.filter(
      ({ name, isRequired }) => isRequired && (record[name] ?? null) === null,
    );
    return `it has ${own.map(quote).join(', ')} and no ${missing.map(({ name }) => name).join(', ')}`;
  }

  /** Each name once. */
  function noteUnknownFields(record: JsonRecord, { fieldNames }: RecordSchema): void {
    for (const name in record) {
      if (fieldNames.has(name) || unknownFields.has(name)) continue;
      unknownFields.add(name);
      report('unknown-field', name, `the schema has no field ${quote(name)}`);
    }
  }

  function checkVersion(version: unknown): void {
    if (typeof version !== 'string' || versions.has(version)) return;
    const [first] = versions;
    versions.add(version);
    const known = contract.versions.map(quote).join(', ');
    if (known !== '' && !contract.versions.includes(version))
      report('unknown-version', 'version', `${quote(version)}; the profile knows ${known}`);
    if (first !== undefined) report('one-version', 'version', `${quote(version)}, after ${quote(first)}`);
  }

  for (const [index, record] of list.entries()) {
    context.index = index;
    if (typeof record !== 'object' || record === null || Array.isArray(record))
      report('type', undefined, `it is ${quote(record)}; expected an object`);
    else checkRecord(record as JsonRecord);
  }
  hours.check();
  const first = [...siteIds].slice(0, 5).map((id) => id.slice(0, LONGEST_SITE));
  return {
    ...{ sites: { count: siteIds.size, first }, lastEnded: times.lastEnded() },
    unjudged: observations.isPartial()
      ? ['More records run at once at a site than are compared: overlaps may be missing.']
      : [],
  };
}

/** In characters, as a fact of the report. */
const LONGEST_SITE = 60;
