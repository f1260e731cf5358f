/** Every defect: a deployment that is wrong in exactly one way. */
import { dataDefects } from './defects/data.ts';
import { expiryDefects } from './defects/expiry.ts';
import { healthDefects } from './defects/health.ts';
import { profileDefects } from './defects/profiles.ts';
import { recordDefects } from './defects/records.ts';
import { tokenRequestDefects } from './defects/token-request.ts';
import { tokenResponseDefects } from './defects/token-response.ts';
import type { Defect } from './deployment.ts';

/** In the order of the specification: obtaining a token, reading data, health checks, expiry. */
export const defects: readonly Defect[] = [
  ...tokenRequestDefects,
  ...tokenResponseDefects,
  ...dataDefects,
  ...healthDefects,
  ...expiryDefects,
  ...profileDefects,
  ...recordDefects,
];
