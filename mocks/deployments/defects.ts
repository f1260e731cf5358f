/** Every defect: a deployment that is wrong in exactly one way, except those that show that no mistake hides another. */
import { dataDefects } from './defects/data.ts';
import { expiryDefects } from './defects/expiry.ts';
import { healthDefects } from './defects/health.ts';
import { laterDataDefects } from './defects/later-data.ts';
import { laterTokenDefects } from './defects/later-tokens.ts';
import { leaksInHiding } from './defects/leaks-in-hiding.ts';
import { jsonLeaks } from './defects/leaks-in-json.ts';
import { textLeaks } from './defects/leaks-in-text.ts';
import { nearCredentialDefects } from './defects/near-credentials.ts';
import { nearTokenDefects } from './defects/near-tokens.ts';
import { nonAnswerDefects } from './defects/non-answers.ts';
import { nowAndThenDefects } from './defects/now-and-then.ts';
import { profileDefects } from './defects/profiles.ts';
import { recordDefects } from './defects/records.ts';
import { severalMistakeDefects } from './defects/several-mistakes.ts';
import { tokenRequestDefects } from './defects/token-request.ts';
import { tokenResponseDefects } from './defects/token-response.ts';
import { withoutTokenDefects } from './defects/without-token.ts';
import type { Defect } from './deployment.ts';

/** In the order of the specification: obtaining a token, reading data, health checks, expiry. */
export const defects: readonly Defect[] = [
  ...tokenRequestDefects,
  ...nearCredentialDefects,
  ...tokenResponseDefects,
  ...laterTokenDefects,
  ...dataDefects,
  ...laterDataDefects,
  ...jsonLeaks,
  ...textLeaks,
  ...nearTokenDefects,
  ...healthDefects,
  ...expiryDefects,
  ...nowAndThenDefects,
  ...nonAnswerDefects,
  ...severalMistakeDefects,
  ...profileDefects,
  ...recordDefects,
  ...leaksInHiding,
  ...withoutTokenDefects,
];
