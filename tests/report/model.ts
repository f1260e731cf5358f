/** A report as its renderers see it: what the reports of all judges share, as plain values. */
import { createHash } from 'node:crypto';
import {
  type ItemVerdict,
  type Outcome,
  SEVERITIES,
  type Severity,
  type ShownOutcome,
} from '../support/verdict.ts';
import type { Markup } from './markup.ts';
import { VERDICTS } from './text.ts';

export interface ReportModel {
  /** As `Conformance report`, and in smaller print what it is about. */
  kind: string;
  topic: string;
  /** The command that wrote the report, as `mrs verify`. */
  command: string;
  /** What was judged: a base URL, a command line, the name of a feed. */
  subject: Fact;
  /** What the exit code says. */
  outcome: ShownOutcome;
  /** The outcome by the verdicts, where a baseline changes it. */
  judged?: Outcome | undefined;
  /** What the run came to, as a short sentence without its full stop: `2 of 23 requirements are violated`. */
  headline: string;
  /** What to do next; a sentence. */
  next: string;
  /** The one cause that kept items from being judged, and what to change; sentences. */
  cause?: string | undefined;
  /** Further sentences that belong to the outcome. */
  remarks: readonly string[];
  /** What puts the whole report into question, in red. */
  warning?: string | undefined;
  counts: readonly Count[];
  /** The counts for the last line in a terminal, which programs read: `14 passed, 1 failed`. */
  tally: string;
  /** What is known of the subject and the run. */
  facts: readonly Fact[];
  /** For programs: names and values of the run. */
  properties: Readonly<Record<string, string>>;
  /** When the run began, in ISO 8601, and how long it took. */
  startedAt?: string | undefined;
  durationMs?: number | undefined;
  items: ItemList;
  /** Faults of the run itself, as sentences. */
  problems: readonly string[];
  /** Entries of a baseline that no longer hold, as sentences. */
  faults?: readonly string[] | undefined;
  /** What only this judge reports, per format. */
  own: OwnParts;
}

export interface Count {
  value: number;
  /** As `could not run`. */
  word: string;
  /** Without one, the count is a plain number. */
  verdict?: ItemVerdict;
}

export interface Fact {
  name: string;
  text: string;
  /** Shown in the type of code: an address, a command. */
  isCode?: boolean;
}

/** Requirements, rules or findings. */
export interface ItemList {
  /** As `Requirements`; its anchor is `items`. */
  title: string;
  about: string;
  /** What one of them is, as `requirement`. */
  noun: string;
  list: readonly Item[];
}

export interface Item {
  id: string;
  /** Within the page; ids of two items can be equal, their anchors cannot. */
  anchor: string;
  /** The clause, where the id does not name it. */
  clause?: string | undefined;
  /** The test class in JUnit. */
  className: string;
  statement: string;
  verdict: ItemVerdict;
  /** Of a failure: what it means, and what is wrong, as a sentence. */
  severity?: Severity | undefined;
  violation?: string | undefined;
  /** What is wrong in this report, as a sentence for its summary; otherwise the first finding says it. */
  trouble?: string | undefined;
  /** Why there is no judgement. */
  reason?: string | undefined;
  /** What was wrong, in one line. */
  summary?: string | undefined;
  /** Of what failed or could not run: a baseline accepts it, as in `accepted until 2030-01-01 by ops: it is known`. */
  accepted?: string | undefined;
  /** Names and texts, as `Expected` and `Seen`. */
  facts: readonly (readonly [name: string, text: string])[];
  findings: readonly ItemFinding[];
  /** What to do about the findings. */
  advice?: string | undefined;
  /** Why the rule exists, and an address where to read more. */
  rationale?: string | undefined;
  source?: string | undefined;
  /** What sends the deciding request again, in bash. */
  commands?: string | undefined;
  durationMs?: number | undefined;
  /** What the HTML page adds below the item. */
  evidence?: Markup | false;
}

export interface ItemFinding {
  verdict: 'failed' | 'warned';
  /** Where: a scenario, or a place in a feed. */
  where: string;
  seen: string;
  /** What proves it, as `calls 3 and 5`. */
  proof?: string | undefined;
  /** The same two for the HTML page, with links. */
  whereMarkup?: Markup | undefined;
  proofMarkup?: Markup | undefined;
  /** Counts from 1 over the report, for links to `finding-1`. */
  number?: number | undefined;
  location?: Location | undefined;
}

/** A place in a file. */
export interface Location {
  uri: string;
  /** JSON pointer (RFC 6901). */
  pointer: string;
  /** Counts from 1. */
  line?: number | undefined;
  /** Counts from 0. */
  byte?: number | undefined;
}

export interface OwnParts {
  /** Style of the page in addition to the shared one. */
  style?: string;
  /** Sections of the page before the items, in order. */
  first?: readonly Section[];
  /** The same after the items. */
  sections: readonly Section[];
  /** Sentences at the foot of the page. */
  footer: Markup;
  /** Ready Markdown: before the table of all items, and at the end. */
  markdown: {
    beforeItems?: readonly string[];
    last: readonly string[];
  };
}

export interface Section {
  /** Anchor, as `open`. */
  id: string;
  title: string;
  about: string;
  content: Markup;
}

/** Items in the order in which they are read: failures first, the gravest of them before others, then warnings. */
export const itemsInOrder = (model: ReportModel): Item[] => {
  const gravity = ({ verdict, severity }: Item): number =>
    ORDER.indexOf(verdict) + (severity === undefined ? SEVERITIES.length : SEVERITIES.indexOf(severity)) / 10;
  return itemsOf(model).toSorted((a, b) => gravity(a) - gravity(b));
};

const ORDER = Object.keys(VERDICTS) as ItemVerdict[];

export const itemsOf = ({ items }: ReportModel): readonly Item[] => items.list;

/** `id` with only the characters that an address can end with. */
export function anchorOf(id: string): string {
  const anchor = id.replace(/[^\w.-]/g, '-');
  if (anchor === id) return anchor;
  // Two ids may differ only in what was replaced.
  return `${anchor}-${createHash('sha256').update(id).digest('hex').slice(0, 8)}`;
}
