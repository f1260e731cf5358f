/** Deployments with the mistakes of several others, of which none may hide another. */
import { serveRecords } from '../behaviour.ts';
import { all, type Defect, type Deployment } from '../deployment.ts';
import { httpVariants } from '../variants/http.ts';
import { dataDefects } from './data.ts';
import { expiryDefects } from './expiry.ts';
import { refusalDefects } from './refusals.ts';
import { tokenRequestDefects } from './token-requests.ts';
import { tokenResponseDefects } from './token-responses.ts';

const single = new Map<string, Deployment & Partial<Defect>>(
  [tokenRequestDefects, tokenResponseDefects, dataDefects, refusalDefects, expiryDefects, httpVariants]
    .flat()
    .map((one) => [one.name, one]),
);

/**
 * By name, the defects that it has, and permitted oddities that must not hide them; one in the token response is last, since
 * the others are made before it.
 */
const SEVERAL: Readonly<Record<string, readonly string[]>> = {
  'oauth-201-expired-401': ['expired-401', 'token-201', 'token-renamed'],
  'jwt-open': ['data-without-token', 'token-capitalised'],
  'list-any-grant': ['any-grant-type', 'token-in-array'],
  'read-401-never-expires': ['first-read-401', 'never-expires'],
  'read-404-expired-401': ['first-read-404', 'expired-401'],
  'forms-503-open': ['first-forms-503', 'data-without-token'],
  'everything-at-once': [
    ...['expired-401', 'any-client-secret', 'data-without-token', 'data-as-text', 'token-renamed'],
  ],
};

export const severalMistakeDefects: readonly Defect[] = Object.entries(SEVERAL).map(([name, names]) => {
  const defects = names.map((one) => single.get(one) as Deployment & Partial<Defect>);
  const fails = defects.flatMap((one) => Object.entries(one.fails ?? {}));
  return {
    name: `several-${name}`,
    summary: `has the defects ${names.join(' and ')}`,
    cannotRun: defects.flatMap(({ cannotRun = [] }) => cannotRun),
    // Where another defect answers with 201, each form is answered with it.
    fails: Object.fromEntries(
      fails.map(([id, { source }]) => [id, new RegExp(source.replace(/: 200/g, ': 20[01]'))]),
    ),
    override: all(serveRecords, ...defects.map(({ override }) => override)),
  };
});
