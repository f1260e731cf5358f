/** Every defect: a deployment that is wrong in exactly one way, except those that show that no mistake hides another. */
import { dataDefects } from './defects/data.ts';
import { expiryDefects } from './defects/expiry.ts';
import { healthDefects, profileDefects } from './defects/health.ts';
import { leakDefects } from './defects/leaks.ts';
import { recordDefects } from './defects/records.ts';
import { refusalDefects } from './defects/refusals.ts';
import { severalMistakeDefects } from './defects/several.ts';
import { tokenRequestDefects } from './defects/token-requests.ts';
import { tokenResponseDefects } from './defects/token-responses.ts';
import type { Defect } from './deployment.ts';

/** In the order of the specification: obtaining a token, reading data, health checks, expiry. */
export const defects: readonly Defect[] = [
  ...tokenRequestDefects,
  ...tokenResponseDefects,
  ...dataDefects,
  ...refusalDefects,
  ...leakDefects,
  ...healthDefects,
  ...expiryDefects,
  ...severalMistakeDefects,
  ...profileDefects,
  ...recordDefects,
];
