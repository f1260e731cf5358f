/** The proof of the judge of feeds: each wrong feed is reported by its rule, each permitted one accepted. */
import { loadProfile } from '../../mocks/contract/profile.ts';
import {
  type FeedSubject,
  type PermittedFeed,
  responseOf,
  type WrongFeed,
} from '../../tests/feed/corpus/subject.ts';
import { type FeedContract, feedContractOf } from '../../tests/feed/feed-contract.ts';
import { type Finding, isFailure } from '../../tests/feed/findings.ts';
import { createFeedReader } from '../../tests/feed/reader.ts';
import type { FeedSelection } from './select-feeds.ts';
import { verdictsOf } from './verdicts.ts';

export interface FeedProof {
  reported: number;
  accepted: number;
  /** Sentences. */
  faults: readonly string[];
  /** Of each feed by its name. */
  verdicts: Map<string, string>;
}

/** Judges all of them. */
export async function proveFeeds({ wrong, permitted }: FeedSelection): Promise<FeedProof> {
  const verdicts = new Map<string, string>();
  const judged = async (feed: FeedSubject & { name: string }) => {
    const findings = await findingsIn(feed);
    const isWrong = findings.some(isFailure);
    const rows = findings.map((finding) => ({
      id: finding.rule,
      verdict: isFailure(finding) ? 'failed' : 'warned',
    }));
    verdicts.set(feed.name, verdictsOf(isWrong ? 'nonconformant' : 'conformant', rows));
    return findings;
  };
  const ofWrong = await Promise.all(wrong.map(async (feed) => wrongFeedFaults(feed, await judged(feed))));
  const ofPermitted = await Promise.all(
    permitted.map(async (feed) => permittedFeedFaults(feed, await judged(feed))),
  );
  const isClean = (faults: string[]) => faults.length === 0;
  return {
    reported: ofWrong.filter(isClean).length,
    accepted: ofPermitted.filter(isClean).length,
    faults: [...ofWrong, ...ofPermitted].flat(),
    verdicts,
  };
}

async function findingsIn(subject: FeedSubject): Promise<Finding[]> {
  const contract = await contractOf(subject.profile ?? 'ods-record');
  const { body, contentType, servedMs } = responseOf(subject);
  const reader = createFeedReader(contract, { nowMs: servedMs, contentType });
  reader.write(Buffer.from(body));
  return reader.done().findings;
}

const contracts = new Map<string, Promise<FeedContract>>();

/** Each once: its schemas are compiled. */
function contractOf(profile: string): Promise<FeedContract> {
  const known = contracts.get(profile) ?? readContract(profile);
  contracts.set(profile, known);
  return known;
}

async function readContract(profile: string): Promise<FeedContract> {
  const contract = feedContractOf((await loadProfile(profile)).document);
  if (contract) return contract;
  throw new Error(`The profile ${profile} of a feed does not describe records (x-records).`);
}

/** What is not as it should be with a feed that is wrong in one way, as sentences. */
export function wrongFeedFaults(
  { name, rule, says, isWarning = false, also = [] }: WrongFeed,
  findings: readonly Finding[],
): string[] {
  const others = findings.filter((finding) => finding.rule !== rule && !also.includes(finding.rule));
  const expected = findings.find((finding) => finding.rule === rule && isFailure(finding) === !isWarning);
  return [
    ...missing(name, `${rule} should have ${isWarning ? 'warned' : 'failed it'}`, says, expected),
    ...others.map((finding) => `${name}: ${inWords(finding)}, which this feed does not explain.`),
  ];
}

/** The same with a feed that differs from most, as is permitted. */
export function permittedFeedFaults(
  { name, warns = {} }: PermittedFeed,
  findings: readonly Finding[],
): string[] {
  const patterns = Object.entries(warns);
  const odd = findings.filter((finding) => isFailure(finding) || !(finding.rule in warns));
  return [
    ...odd.map((finding) => `${name} is permitted, and ${inWords(finding)}.`),
    ...patterns.flatMap(([rule, says]) => {
      const warning = findings.find((finding) => finding.rule === rule);
      return missing(name, `${rule} should have warned`, says, warning);
    }),
  ];
}

/** A sentence if the finding is missing, or if it says something else. */
function missing(name: string, sentence: string, says: RegExp, finding: Finding | undefined): string[] {
  if (!finding) return [`${name}: ${sentence}, and did not.`];
  if (finding.places.some(({ seen }) => says.test(seen))) return [];
  return [`${name}: ${sentence} with ${says}. It said: ${finding.places[0]?.seen}`];
}

const inWords = (finding: Finding): string =>
  `${finding.rule} ${isFailure(finding) ? 'failed it' : 'warned'}: ${finding.places[0]?.seen}`;
