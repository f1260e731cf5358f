/** Judges records one by one as they arrive, and keeps none of them. */
import { append } from '@hyperjump/json-pointer';
import { clip, several } from '../report/text.ts';
import { recordsIn } from './envelope.ts';
import type { FeedContract, RecordSchema } from './feed-contract.ts';
import { createFindings, type FeedVerdict, type Location, type Position, quote } from './findings.ts';
import { createDigests, createFingerprints } from './fingerprint.ts';
import { createBandRules } from './rules/band-rules.ts';
import { createFieldCheck } from './rules/field-problems.ts';
import { legacySchemaOf, whyLegacy, withTodaysNames } from './rules/legacy.ts';
import { createObservationRules } from './rules/observation-rules.ts';
import { isShort, type JsonRecord, MAX_NAMES, type RecordContext } from './rules/record-rule.ts';
import { createSiteRules } from './rules/site-rules.ts';
import { createTargetRules } from './rules/target-rules.ts';
import { createTimeRules } from './rules/time-rules.ts';
import { createValueRules } from './rules/value-rules.ts';
import { createSeenBefore } from './seen-before.ts';

export interface JudgeOptions {
  /** The moment at which the feed was served, in milliseconds since 1970. */
  nowMs: number;
  /** Where in the body the record begins that is being judged. */
  locate?: () => Position;
}

export interface FeedJudge {
  /** `index` is the position of the record in the list. */
  record(value: unknown, index: number): void;
  /** Reports a fault of the body around the records. */
  fault(
    rule: 'media-type' | 'not-json' | 'envelope' | 'duplicate-key',
    pointer: string,
    seen: string,
    position?: Position,
  ): void;
  /** Reports that a record has two members of one name; `path` leads to them in the record. */
  repeatedMember(index: number, path: readonly string[]): void;
  /** Notes that something was not read, for the reason that the sentence gives. */
  leaveOut(sentence: string): void;
  /** Notes a sentence that does not change the outcome. */
  remark(sentence: string): void;
  done(): FeedVerdict;
}

export function createFeedJudge(contract: FeedContract, { nowMs, locate }: JudgeOptions): FeedJudge {
  const findings = createFindings();
  const unjudged: string[] = [];
  const remarks: string[] = [];
  const pointerTo = (index: number, name?: string) => {
    const record = append(String(index), contract.listPointer);
    return name === undefined ? record : append(name, record);
  };
  /** Names that fields of the current record have, where they differ from today's. */
  let earlierNames = NONE;
  const nameInRecord = (name: string | undefined) =>
    name === undefined ? undefined : (earlierNames.get(name) ?? name);
  /** The site of the current record. */
  let site: string | undefined;
  const problemsBySite = new Map<string, number>();
  const context: RecordContext = {
    report(rule, index, name, seen, ruleClass) {
      if (site !== undefined && siteIds.has(site))
        problemsBySite.set(site, (problemsBySite.get(site) ?? 0) + 1);
      findings.report(
        rule,
        () => ({ pointer: pointerTo(index, nameInRecord(name)), seen: seen(), site, ...locate?.() }),
        ruleClass,
      );
    },
    locationOf(index, name, seen) {
      const position = locate?.();
      const pointer = pointerTo(index, nameInRecord(name));
      return () => ({ pointer, seen: seen(), ...position });
    },
    pointerTo,
  };
  const { report } = context;

  const checkFields = createFieldCheck(contract);
  const checkLegacyFields = contract.legacy && createFieldCheck(contract.legacy);
  const bands = createBandRules(context);
  const sites = createSiteRules(contract.sites, context);
  const targets = createTargetRules(context);
  const times = createTimeRules(nowMs, context);
  const values = createValueRules(nowMs, context);
  const observations = createObservationRules(contract.sites, context);
  const fingerprintOf = createFingerprints(contract);
  const digests = createDigests();
  const seenBefore = createSeenBefore();

  let recordCount = 0;
  const siteIds = new Set<string>();
  const versions = new Set<string>();
  const unknownFields = new Map<string, { count: number; location: () => Location }>();

  function checkRecord(original: JsonRecord, isRepeated: boolean, index: number): void {
    const legacy = legacySchemaOf(original, contract);
    const renamed = legacy && withTodaysNames(original, legacy);
    const record = renamed?.record ?? original;
    const schema: RecordSchema = legacy ?? contract;
    earlierNames = renamed?.earlierNames ?? NONE;
    if (legacy && !legacy.isPermitted)
      report('legacy-schema', index, undefined, () => whyLegacy(original, legacy, contract));
    const check = (legacy && checkLegacyFields) ?? checkFields;
    check(record, (rule, name, seen) => report(rule, index, name, seen));
    noteUnknownFields(record, schema, index);
    if (!legacy) checkVersion(record.version, index);
    const place = sites.check(record, index);
    bands.check(record, index);
    const interval = times.check(record, index);
    values.check(record, legacy ? undefined : contract, interval, index);
    targets.check(record, place, interval, index);
    if (interval) observations.check(record, interval, place, isRepeated, index);
  }

  function noteSite(id: unknown): void {
    if (!isShort(id)) return;
    site = id;
    if (siteIds.size < MAX_NAMES) siteIds.add(id);
  }

  function noteUnknownFields(record: JsonRecord, { fieldNames }: RecordSchema, index: number): void {
    for (const name in record) {
      if (fieldNames.has(name)) continue;
      const known = unknownFields.get(name);
      if (known) known.count++;
      else if (unknownFields.size < MAX_NAMES && isShort(name)) {
        const field = { count: 1, location: context.locationOf(index, name, () => seenUnknown(name)) };
        unknownFields.set(name, field);
      }
    }
  }

  const seenUnknown = (name: string) =>
    `${quote(name)}, in ${unknownFields.get(name)?.count} of ${recordCount} records`;

  function checkVersion(version: unknown, index: number): void {
    if (!isShort(version) || versions.has(version) || versions.size === MAX_NAMES) return;
    const [first] = versions;
    versions.add(version);
    const isKnown = contract.versions.length === 0 || contract.versions.includes(version);
    if (!isKnown)
      report(
        'unknown-version',
        index,
        'version',
        () => `${quote(version)}; the profile knows ${contract.versions.map(quote).join(', ')}`,
      );
    if (first !== undefined)
      report('one-version', index, 'version', () => `${quote(version)}, after ${quote(first)}`);
  }

  return {
    record(value, index) {
      recordCount++;
      site = undefined;
      const fingerprint = fingerprintOf(value);
      digests.add(fingerprint);
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        report('type', index, undefined, () => `it is ${quote(value)}; expected an object`);
        return;
      }
      noteSite((value as JsonRecord).site_id);
      const first = seenBefore.firstOf(fingerprint, index);
      if (first !== undefined) report('duplicate', index, undefined, () => `it equals ${pointerTo(first)}`);
      checkRecord(value as JsonRecord, first !== undefined, index);
    },

    fault(rule, pointer, seen, position) {
      findings.report(rule, () => ({ pointer, seen, ...position }));
    },

    repeatedMember(index, path) {
      const location = () => ({
        pointer: path.reduce((pointer, name) => append(name, pointer), pointerTo(index)),
        seen: 'it is present a second time, and readers take one of the two',
        ...locate?.(),
      });
      findings.report('duplicate-key', location);
    },

    leaveOut(sentence) {
      unjudged.push(sentence);
    },

    remark(sentence) {
      remarks.push(sentence);
    },

    done() {
      const angleUnit = targets.angleUnit();
      if (angleUnit) findings.report('angle-unit', angleUnit);
      for (const { location } of unknownFields.values()) findings.report('unknown-field', location);
      if (seenBefore.isFull())
        unjudged.push(
          'duplicate: too many records to compare all of them. Split the feed and judge the parts.',
        );
      const isOfSeveralSites = siteIds.size > 1;
      if (isOfSeveralSites && problemsBySite.size > 0) remarks.push(bySite(problemsBySite));
      if (observations.isPartial())
        remarks.push('More records run at once than are compared: there may be further overlaps.');
      return {
        records: recordCount,
        findings: findings.list(isOfSeveralSites),
        unjudged,
        remarks,
        nowMs,
        ...digests.done(),
        sites: { count: siteIds.size, first: [...siteIds].slice(0, 5) },
        ...times.summary(),
      };
    },
  };
}

const NONE: ReadonlyMap<string, string> = new Map();

/** `Problems by site: vla_D 8, gbt 2.`, the site with most of them first. */
function bySite(problems: ReadonlyMap<string, number>): string {
  const most = [...problems].sort(([, a], [, b]) => b - a);
  const shown = most.slice(0, MAX_SITES_SHOWN).map(([id, count]) => `${clip(id, 40)} ${count}`);
  const others = most.length - shown.length;
  return `Problems by site: ${shown.join(', ')}${others > 0 ? `, and ${several(others, 'other site')}` : ''}.`;
}

const MAX_SITES_SHOWN = 5;

/** Judges a body that has been parsed already. */
export function judgeFeed(body: unknown, contract: FeedContract, options: JudgeOptions): FeedVerdict {
  const judge = createFeedJudge(contract, options);
  const records = recordsIn(body, contract, (pointer, seen) => judge.fault('envelope', pointer, seen));
  records?.forEach((record, index) => {
    judge.record(record, index);
  });
  return judge.done();
}
