/** Judges records one by one as they arrive, and keeps none of them. */
import { append } from '@hyperjump/json-pointer';
import { recordsIn } from './envelope.ts';
import type { FeedContract } from './feed-contract.ts';
import type { FeedVerdict, Position } from './feed-verdict.ts';
import { createFieldCheck } from './field-problems.ts';
import { createFindings, type Location, quote } from './findings.ts';
import { createDigests, createFingerprints } from './fingerprint.ts';
import { createObservationRules } from './observation-rules.ts';
import { createPositionRules } from './position-rules.ts';
import { isShort, type JsonRecord, MAX_NAMES, type RecordContext } from './record-rule.ts';
import { createSeenBefore } from './seen-before.ts';
import { createTimeRules } from './time-rules.ts';

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
  fault(rule: 'not-json' | 'envelope', pointer: string, seen: string, position?: Position): void;
  /** Notes that something was not read, for the reason that the sentence gives. */
  leaveOut(sentence: string): void;
  done(): FeedVerdict;
}

export function createFeedJudge(contract: FeedContract, { nowMs, locate }: JudgeOptions): FeedJudge {
  const findings = createFindings();
  const unjudged: string[] = [];
  const pointerTo = (index: number, name?: string) => {
    const record = append(String(index), contract.listPointer);
    return name === undefined ? record : append(name, record);
  };
  const context: RecordContext = {
    report(rule, index, name, seen, ruleClass) {
      findings.report(
        rule,
        () => ({ pointer: pointerTo(index, name), seen: seen(), ...locate?.() }),
        ruleClass,
      );
    },
    locationOf(index, name, seen) {
      const position = locate?.();
      return () => ({ pointer: pointerTo(index, name), seen: seen(), ...position });
    },
    pointerTo,
  };
  const { report } = context;

  const checkFields = createFieldCheck(contract);
  const positions = createPositionRules(contract.sites, context);
  const times = createTimeRules(nowMs, context);
  const observations = createObservationRules(context);
  const fingerprintOf = createFingerprints(contract);
  const digests = createDigests();
  const seenBefore = createSeenBefore();

  let recordCount = 0;
  let checkedCount = 0;
  const siteIds = new Set<string>();
  const versions = new Set<string>();
  const unknownFields = new Map<string, { count: number; location: () => Location }>();

  function checkRecord(record: JsonRecord, index: number): void {
    const hasVersion = record.version !== undefined && record.version !== null;
    const legacy = !hasVersion && contract.legacyFields.find((name) => Object.hasOwn(record, name));
    if (legacy) {
      report('legacy-schema', index, undefined, () => `it has ${legacy} and no version`);
      return;
    }
    checkedCount++;
    checkFields(record, (rule, name, seen) => report(rule, index, name, seen));
    noteUnknownFields(record, index);
    checkVersion(record.version, index);
    if (siteIds.size < MAX_NAMES && isShort(record.site_id)) siteIds.add(record.site_id);
    positions.check(record, index);
    observations.checkBand(record, index);
    const interval = times.check(record, index);
    if (interval) observations.checkInterval(record, interval, index);
  }

  function noteUnknownFields(record: JsonRecord, index: number): void {
    for (const name in record) {
      if (contract.fieldNames.has(name)) continue;
      const known = unknownFields.get(name);
      if (known) known.count++;
      else if (unknownFields.size < MAX_NAMES && isShort(name)) {
        const field = { count: 1, location: context.locationOf(index, name, () => seenUnknown(name)) };
        unknownFields.set(name, field);
      }
    }
  }

  const seenUnknown = (name: string) =>
    `${quote(name)}, in ${unknownFields.get(name)?.count} of ${checkedCount} records`;

  function checkVersion(version: unknown, index: number): void {
    if (!isShort(version) || versions.has(version) || versions.size === MAX_NAMES) return;
    const [first] = versions;
    versions.add(version);
    if (first !== undefined)
      report('one-version', index, 'version', () => `${quote(version)}, after ${quote(first)}`);
  }

  return {
    record(value, index) {
      recordCount++;
      const fingerprint = fingerprintOf(value);
      digests.add(fingerprint);
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        report('type', index, undefined, () => `it is ${quote(value)}; expected an object`);
        return;
      }
      const first = seenBefore.firstOf(fingerprint, index);
      if (first !== undefined) report('duplicate', index, undefined, () => `it equals ${pointerTo(first)}`);
      checkRecord(value as JsonRecord, index);
    },

    fault(rule, pointer, seen, position) {
      findings.report(rule, () => ({ pointer, seen, ...position }));
    },

    leaveOut(sentence) {
      unjudged.push(sentence);
    },

    done() {
      const hours = positions.hoursForDegrees();
      if (hours) findings.report('hours-for-degrees', hours);
      for (const { location } of unknownFields.values()) findings.report('unknown-field', location);
      if (seenBefore.isFull())
        unjudged.push(
          'duplicate: too many records to compare all of them. Split the feed and judge the parts.',
        );
      const remarks = observations.isPartial()
        ? ['More records run at once than are compared: there may be further overlaps.']
        : [];
      return {
        records: recordCount,
        findings: findings.list(),
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

/** Judges a body that has been parsed already. */
export function judgeFeed(body: unknown, contract: FeedContract, options: JudgeOptions): FeedVerdict {
  const judge = createFeedJudge(contract, options);
  const records = recordsIn(body, contract, (pointer, seen) => judge.fault('envelope', pointer, seen));
  records?.forEach((record, index) => {
    judge.record(record, index);
  });
  return judge.done();
}
