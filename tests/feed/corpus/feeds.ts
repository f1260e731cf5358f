/** The feeds that the judge of feeds is proved on: feeds.yaml, of which a build makes dist/feed-corpus.json. */
import { createRequire } from 'node:module';
import { EDITS, type FeedRecord, legacyRecords } from './edits.ts';

interface FeedSubject {
  name: string;
  /** What it does, as the rest of a sentence that begins with "the feed". */
  summary: string;
  /** The profile that it is judged by; default ods-record. */
  profile?: string | undefined;
}

/** A feed that is wrong in exactly one way. */
export interface WrongFeed extends FeedSubject {
  /** The rule that must report it, and what it must say. */
  rule: string;
  says: RegExp;
  /** Whether it only warns; otherwise it must fail the feed. */
  isWarning?: boolean;
  /** Rules that may report it too, because the one mistake is a mistake there as well. */
  also?: readonly string[];
}

/** A feed that differs from most, as is permitted. */
export interface PermittedFeed extends FeedSubject {
  /** Warnings that it draws, by rule; without it there are none. */
  warns?: Record<string, RegExp>;
}

interface Row {
  is: string;
  /** The records of the base that remain; default: all. */
  keep?: readonly number[];
  set?: Record<number, FeedRecord>;
  all?: FeedRecord;
  without?: readonly string[];
  repeat?: Record<number, readonly FeedRecord[]>;
  legacy?: true;
  /** Default application/json; null for none. */
  contentType?: string | null;
  profile?: string;
  says?: string;
  also?: readonly string[];
  warns?: Record<string, string>;
}

const corpus: {
  base: readonly FeedRecord[];
  wrong: readonly { rule: string; isWarning?: true; feeds: Record<string, Row> }[];
  permitted: Record<string, Row>;
} = createRequire(import.meta.url)('#feed-corpus');

const rows = Object.assign({}, corpus.permitted, ...corpus.wrong.map(({ feeds }) => feeds)) as Record<
  string,
  Row
>;

/** Every feed that the judge of feeds must report. */
export const wrongFeeds: readonly WrongFeed[] = corpus.wrong.flatMap(({ rule, isWarning = false, feeds }) =>
  Object.entries(feeds).map(([name, { is, profile, says = '', also = [] }]) => ({
    name,
    summary: is,
    profile,
    rule,
    says: new RegExp(says),
    isWarning,
    also,
  })),
);

/** Every feed that the judge of feeds must accept, however unlike the others it is. */
export const permittedFeeds: readonly PermittedFeed[] = Object.entries(corpus.permitted).map(
  ([name, { is, profile, warns = {} }]) => ({
    name,
    summary: is,
    profile,
    warns: Object.fromEntries(Object.entries(warns).map(([rule, says]) => [rule, new RegExp(says)])),
  }),
);

/** When every feed is served, in milliseconds since 1970. */
const SERVED_MS = Date.UTC(2030, 0, 1);

/** The body of a feed, and how it is served. */
export function responseOf({ name }: { name: string }): {
  body: string;
  contentType: string;
  servedMs: number;
} {
  const {
    legacy,
    keep,
    set = {},
    all = {},
    without = [],
    repeat = {},
    contentType,
  } = rows[name] ?? { is: '' };
  const { records: edit, text = (body: string) => body } = EDITS[name] ?? {};
  const base = structuredClone(corpus.base);
  const records = (legacy ? legacyRecords(base) : [...base]).flatMap((one, at) => {
    const edited = Object.entries({ ...one, ...all, ...set[at] }).filter(
      ([field]) => !without.includes(field),
    );
    const record: FeedRecord = Object.fromEntries(edited);
    if (keep && !keep.includes(at)) return [];
    return [record, ...(repeat[at] ?? []).map((fields) => ({ ...record, ...fields }))];
  });
  return {
    body: text(JSON.stringify({ ods_data: edit ? edit(records) : records }, null, 1)),
    contentType: contentType === undefined ? 'application/json' : (contentType ?? ''),
    servedMs: SERVED_MS,
  };
}
