/** fleet.yaml: the deployments of a fleet, and how each is judged. */
import { UsageError } from '../support/usage-error.ts';
import type { InventorySchema } from './inventory.schema.ts';
import { type InventoryText, inventoryText } from './inventory-text.ts';

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

/** The entries in `text`, sorted by name. Throws UsageError with a sentence and a line for each mistake. */
export function readInventory(text: string, file: string): Entry[] {
  const source = inventoryText(text, file);
  const { deployments, defaults = {} } = source.value;
  const problems = [
    ...deployments.flatMap((entry, at) => problemsOf(entry, at, source)),
    ...repeatedNames(deployments, source),
  ];
  if (problems.length > 0) throw new UsageError(problems.join('\n'));
  return deployments
    .map((entry, at): Entry => {
      const inherited = Object.entries(defaults).filter(([member]) =>
        entry.feed === undefined ? !ONLY_OF_FEEDS.includes(member) : INHERITED_BY_FEEDS.includes(member),
      );
      return {
        ...Object.fromEntries(inherited),
        ...entry,
        line: source.lineOf(['deployments', at]),
      } as Entry;
    })
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

function problemsOf(entry: Written, at: number, { sentence }: InventoryText): string[] {
  const { name, baseUrl, feed } = entry;
  const label = `deployment "${name}"`;
  const path = ['deployments', at];
  if (baseUrl === undefined && feed === undefined)
    return [
      sentence(
        path,
        `${label} has neither baseUrl nor feed. Write the URL of the deployment, or of the feed.`,
      ),
    ];
  if (baseUrl !== undefined && feed !== undefined)
    return [sentence(path, `${label} has baseUrl and feed. Make two entries of it.`)];
  const stray = Object.keys(entry).find((member) =>
    feed === undefined ? ONLY_OF_FEEDS.includes(member) : !OF_FEEDS.includes(member),
  );
  if (stray === undefined) return [];
  const why = feed === undefined ? 'which is for feeds' : 'which a feed does not have';
  return [sentence([...path, stray], `${label} has ${stray}, ${why}. Remove it.`)];
}

/** Names are also those of folders, and some file systems do not distinguish upper and lower case. */
function repeatedNames(deployments: readonly Written[], { sentence, lineOf }: InventoryText): string[] {
  const names = deployments.map(({ name }) => name.toLowerCase());
  return deployments.flatMap(({ name }, at) => {
    const first = names.indexOf(name.toLowerCase());
    if (first === at) return [];
    const line = lineOf(['deployments', first]);
    return [
      sentence(['deployments', at, 'name'], `the name "${name}" is the one of line ${line}. Choose another.`),
    ];
  });
}
