/** fleet.yaml: the deployments of a fleet, and how each is judged. */
import type { InventorySchema } from './inventory.schema.ts';
import { type InventoryText, inventoryText, type Problem } from './inventory-text.ts';

type Written = InventorySchema['deployments'][number];

/** Where a secret is. Exactly one of the two. */
export interface SecretReference {
  env?: string;
  file?: string;
}

/** One deployment or feed, with the defaults that it inherits. */
export interface Entry extends Omit<Written, 'clientSecret' | 'expiredToken' | 'mockControlKey'> {
  clientSecret?: SecretReference;
  expiredToken?: SecretReference;
  mockControlKey?: SecretReference;
  /** In fleet.yaml, counted from 1. */
  line: number;
  /** Those of its settings, by their names. */
  lines?: Readonly<Record<string, number>>;
}

export interface Inventory {
  /** Sorted by name. */
  entries: Entry[];
  problems: Problem[];
}

/** What a feed has in common with a deployment; the rest is for deployments only. */
const OF_FEEDS: readonly string[] = [
  'name',
  'feed',
  'profile',
  'timeout',
  'bodyLimit',
  'strict',
  'labels',
  'contact',
];
/** What a feed inherits. A profile of deployments need not describe records. */
const INHERITED_BY_FEEDS: readonly string[] = ['timeout', 'bodyLimit', 'strict', 'labels', 'contact'];
const ONLY_OF_FEEDS: readonly string[] = ['feed', 'strict'];

export const isFeed = ({ feed }: Pick<Entry, 'feed'>): boolean => feed !== undefined;

/** What `text` describes. Throws UsageError with a line for each violation of the schema; other mistakes are in the result. */
export function readInventory(text: string, file: string): Inventory {
  const source = inventoryText(text, file);
  const { deployments, defaults = {} } = source.value;
  const problems = [
    ...deployments.flatMap((entry, at) => problemsOf(entry, at, source)),
    ...repeatedNames(deployments, source),
  ];
  const defaultLines = Object.fromEntries(
    Object.keys(defaults).map((member) => [member, source.lineOf(['defaults', member])]),
  );
  const entries = deployments
    .map((entry, at): Entry => {
      const inherited = Object.entries(defaults).filter(([member]) =>
        entry.feed === undefined ? !ONLY_OF_FEEDS.includes(member) : INHERITED_BY_FEEDS.includes(member),
      );
      return {
        ...Object.fromEntries(inherited),
        ...entry,
        line: source.lineOf(['deployments', at]),
        lines: {
          ...defaultLines,
          ...Object.fromEntries(
            Object.keys(entry).map((member) => [member, source.lineOf(['deployments', at, member])]),
          ),
        },
      } as Entry;
    })
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return { entries, problems };
}

function problemsOf(entry: Written, at: number, { problemAt }: InventoryText): Problem[] {
  const { name, baseUrl, feed } = entry;
  const label = `deployment "${name}"`;
  const path = ['deployments', at];
  const problems: Problem[] = [];
  if (baseUrl === undefined && feed === undefined)
    return [
      problemAt(
        path,
        `${label} has neither baseUrl nor feed. Write the URL of the deployment, or of the feed.`,
      ),
    ];
  if (baseUrl !== undefined && feed !== undefined)
    return [problemAt(path, `${label} has baseUrl and feed. Make two entries of it.`)];
  const why = feed === undefined ? 'which is for feeds' : 'which a feed does not have';
  for (const member of Object.keys(entry))
    if (feed === undefined ? ONLY_OF_FEEDS.includes(member) : !OF_FEEDS.includes(member))
      problems.push(problemAt([...path, member], `${label} has ${member}, ${why}. Remove it.`));
  return problems;
}

/** Names are also those of folders, and some file systems do not distinguish upper and lower case. */
function repeatedNames(deployments: readonly Written[], { problemAt, lineOf }: InventoryText): Problem[] {
  const firsts = new Map<string, number>();
  return deployments.flatMap(({ name }, at) => {
    const first = firsts.get(name.toLowerCase());
    if (first === undefined) {
      firsts.set(name.toLowerCase(), at);
      return [];
    }
    const line = lineOf(['deployments', first]);
    return [
      problemAt(
        ['deployments', at, 'name'],
        `the name "${name}" is the one of line ${line}. Choose another.`,
      ),
    ];
  });
}
