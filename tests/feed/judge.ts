/** Judges records one by one as they arrive, and keeps none of them. */
import { createHash } from 'node:crypto';
import { append } from '@hyperjump/json-pointer';
import type { FeedContract, LegacySchema, RecordSchema } from './feed-contract.ts';
import { createFindings, type FeedVerdict, type Position, quote } from './findings.ts';
import { checkBand } from './rules/bands.ts';
import { checkSchema, checkValues } from './rules/fields.ts';
import { createObservationRules } from './rules/observations.ts';
import { isShort, type JsonRecord, MAX_NAMES, type RecordContext } from './rules/record.ts';
import { createSiteRules } from './rules/sites.ts';
import { checkTarget } from './rules/targets.ts';
import { createTimeRules } from './rules/times.ts';

interface JudgeOptions {
  /** The moment at which the feed was served, in milliseconds since 1970. */
  nowMs: number;
  /** Where in the body the record begins that is being judged. */
  locate: () => Position;
  /** Whether the verdict has the digests by which two reads are compared. */
  withDigests: boolean;
}

export function createFeedJudge(contract: FeedContract, { nowMs, locate, withDigests }: JudgeOptions) {
  const findings = createFindings();
  const unjudged: string[] = [];
  const remarks: string[] = [];
  const pointerTo = (index: number, name?: string) => {
    const record = append(String(index), contract.listPointer);
    return name === undefined ? record : append(name, record);
  };
  const context: RecordContext = {
    index: 0,
    report: (rule, name, seen, ruleClass) =>
      findings.report(
        rule,
        () => ({ pointer: pointerTo(context.index, name), seen, ...locate() }),
        ruleClass,
      ),
    pointerTo,
  };
  const { report } = context;

  const checkSite = createSiteRules(contract.sites, context);
  const times = createTimeRules(nowMs, context);
  const observations = createObservationRules(context);

  let recordCount = 0;
  const siteIds = new Set<string>();
  const versions = new Set<string>();
  const unknownFields = new Set<string>();
  const digests: string[] = [];

  function checkRecord(record: JsonRecord): void {
    const legacy = legacySchemaOf(record);
    const schema: RecordSchema = legacy ?? contract;
    if (legacy && !legacy.isPermitted) report('legacy-schema', undefined, whyLegacy(record, legacy));
    checkSchema(record, schema, report);
    noteUnknownFields(record, schema);
    if (!legacy) checkVersion(record.version);
    const place = checkSite(record);
    checkBand(record, report);
    const interval = times.check(record);
    checkValues(record, legacy ? undefined : contract, interval, nowMs, report);
    checkTarget(record, place, interval, report);
    if (interval) observations.check(record, interval, place);
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
      if (unknownFields.size === MAX_NAMES || !isShort(name)) continue;
      unknownFields.add(name);
      report('unknown-field', name, `the schema has no field ${quote(name)}`);
    }
  }

  function checkVersion(version: unknown): void {
    if (!isShort(version) || versions.has(version) || versions.size === MAX_NAMES) return;
    const [first] = versions;
    versions.add(version);
    const known = contract.versions.map(quote).join(', ');
    if (known !== '' && !contract.versions.includes(version))
      report('unknown-version', 'version', `${quote(version)}; the profile knows ${known}`);
    if (first !== undefined) report('one-version', 'version', `${quote(version)}, after ${quote(first)}`);
  }

  return {
    /** Sentences: what was not read, and why; and what does not change the outcome. */
    unjudged,
    remarks,

    /** `index` is the position of the record in the list. */
    record(value: unknown, index: number) {
      recordCount++;
      context.index = index;
      if (withDigests) digests.push(digestOf(JSON.stringify(value)));
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        return report('type', undefined, `it is ${quote(value)}; expected an object`);
      const { site_id: siteId } = value as JsonRecord;
      if (isShort(siteId) && siteIds.size < MAX_NAMES) siteIds.add(siteId);
      checkRecord(value as JsonRecord);
    },

    /** Reports a fault of the body around the records. */
    fault(rule: string, pointer: string, seen: string, position?: Position): void {
      findings.report(rule, () => ({ pointer, seen, ...position }));
    },

    /** Reports a member that its object has twice. */
    repeated(pointer: string, position: Position): void {
      const seen = 'it is present a second time, and readers take one of the two';
      findings.report('duplicate-key', () => ({ pointer, seen, ...position }));
    },

    done(): FeedVerdict {
      if (observations.isPartial())
        unjudged.push(
          'More records run at once at a site, or at more sites, than are compared: duplicates may be missing.',
        );
      return {
        records: recordCount,
        findings: findings.list(),
        unjudged,
        remarks,
        nowMs,
        sites: { count: siteIds.size, first: [...siteIds].slice(0, 5) },
        lastEnded: times.lastEnded(),
        ...(withDigests && {
          digest: digestOf(digests.join()),
          setDigest: digestOf(digests.toSorted().join()),
        }),
      };
    },
  };
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');
