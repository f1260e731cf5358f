/** The proof of the suite itself: that it finds defects, and that it accepts what is permitted. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Proof {
  /** Deployments that are wrong in one way, and how many of them were found to be so for the stated reason. */
  defects: { caught: number; total: number };
  /** Deployments that differ where the specification is open, and how many of them were found conformant. */
  variants: { accepted: number; total: number };
  /** Of the suite that was proved. */
  digest: string;
}

/** Of the tree that runs: TypeScript in the repository, JavaScript below dist/ and in the package. */
const root = fileURLToPath(new URL('../../', import.meta.url));
const proofFile = join(root, 'proof.json');

/** A digest of all that makes the verdicts: the specs, what supports them, the ledger and the contract. */
export function suiteDigest(): string {
  if (digest !== undefined) return digest;
  const hash = createHash('sha256');
  const tests = readdirSync(join(root, 'tests'), { recursive: true, encoding: 'utf8' })
    .map((path) => `tests/${path.replaceAll(sep, '/')}`)
    .filter((name) =>
      /^tests\/(server|feed|support|report)\/(?!.*testing\/).+(?<!\.test|\.d)\.[jt]s$/.test(name),
    )
    .map((name) => [name, join(root, name)] as const);
  const shared = ['openapi.yaml', 'requirements.yaml', 'feed-rules.yaml'].map(
    (name) => [name, fileURLToPath(import.meta.resolve(`mrs-contract/${name}`))] as const,
  );
  // The order does not depend on the machine.
  for (const [name, file] of [...tests, ...shared].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const content = readFileSync(file);
    hash.update(`${name}\0${content.length}\0`).update(content);
  }
  digest = `sha256:${hash.digest('hex')}`;
  return digest;
}

/** Of the files that this process has loaded. */
let digest: string | undefined;

/** The proof of the suite as it is now; undefined if it is not proved, or was changed since. */
export function readProof(file = proofFile): Proof | undefined {
  try {
    const proof: Proof = JSON.parse(readFileSync(file, 'utf8'));
    return proof.digest === suiteDigest() ? proof : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a proof that holds; without one, forgets the proof of before. */
export function keepProof(proof: Proof | undefined, file = proofFile): void {
  if (proof) writeFileSync(file, `${JSON.stringify(proof)}\n`);
  else rmSync(file, { force: true });
}
