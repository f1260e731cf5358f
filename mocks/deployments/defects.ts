/** Every defect: a deployment that is wrong in exactly one way, except those that show that no mistake hides another. */
import { serveRecords } from './behaviour.ts';
import { dataDefects } from './defects/data.ts';
import { expiryDefects } from './defects/expiry.ts';
import { healthDefects, profileDefects } from './defects/health.ts';
import { leakDefects } from './defects/leaks.ts';
import { recordDefects } from './defects/records.ts';
import { refusalDefects } from './defects/refusals.ts';
import { tokenRequestDefects } from './defects/token-requests.ts';
import { tokenResponseDefects } from './defects/token-responses.ts';
import { all, type Defect, type Deployment, UNDECIDED } from './deployment.ts';
import { httpVariants } from './variants/http.ts';

/** In the order of the specification: obtaining a token, reading data, health checks, expiry. */
const single: readonly Defect[] = [
  ...tokenRequestDefects,
  ...tokenResponseDefects,
  ...dataDefects,
  ...refusalDefects,
  ...leakDefects,
  ...healthDefects,
  ...expiryDefects,
];

/**
 * Deployments with the mistakes of several others, and permitted oddities that must not hide them. One in the token response is
 * last, since the others are made before it.
 */
const SEVERAL: Readonly<Record<string, readonly string[]>> = {
  'oauth-201-expired-401': ['expired-401', 'token-201', 'token-renamed'],
  'list-any-grant': ['any-grant-type', 'token-in-array'],
  'read-401-never-expires': ['first-read-401', 'never-expires'],
  'forms-503-open': ['first-forms-503', 'data-without-token'],
  'everything-at-once': [
    ...['expired-401', 'any-client-secret', 'data-without-token', 'data-as-text', 'token-renamed'],
  ],
};

const several = Object.entries(SEVERAL).map(([name, names]): Defect => {
  const parts = names.map(
    (one) => [...single, ...httpVariants].find((other) => other.name === one) as Deployment & Partial<Defect>,
  );
  return {
    name: `several-${name}`,
    summary: `has the defects ${names.join(' and ')}`,
    ...UNDECIDED,
    fails: Object.assign({}, ...parts.map(({ fails }) => fails)),
    override: all(serveRecords, ...parts.map(({ override }) => override)),
  };
});

export const defects: readonly Defect[] = [...single, ...several, ...profileDefects, ...recordDefects];
