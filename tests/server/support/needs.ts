/** What a requirement needs of a run before it can be judged: `needs` in tests/requirements.yaml. */
import type { Need } from '../../support/requirements.ts';
import { offersTokens } from './declared.ts';
import { type Answered, type Evidence, inWords, isSuccess } from './evidence.ts';
import { isIssued } from './expectations.ts';
import { answered, couldNotRun, type Judgement, settled } from './judgement.ts';

/** By need: the exchange that meets it, or the verdict on every requirement that has it. */
export const accepted: Record<Need, (evidence: Evidence) => Answered | Judgement> = {
  'token-response': tokenResponse,
  token,
  data,
};

/** Valid credentials were answered with success. */
function tokenResponse(evidence: Evidence): Answered | Judgement {
  const exchange = settled(evidence.token.valid);
  if ('verdict' in exchange || isSuccess(exchange)) return exchange;
  return couldNotRun(`No token was obtained (see MRS-4.1a): ${inWords(exchange)}.`);
}

/** Valid credentials obtained a token: without that, no refusal proves anything. */
function token(evidence: Evidence): Answered | Judgement {
  const exchange = answered(evidence.token.valid);
  if ('verdict' in exchange || isIssued(exchange)) return exchange;
  const broken = isSuccess(exchange) ? 'MRS-2a' : 'MRS-4.1a';
  return couldNotRun(`No token was obtained (see ${broken}): ${inWords(exchange)}.`);
}

/** The data was served with the good token. */
function data(evidence: Evidence): Answered | Judgement {
  if (offersTokens(evidence.profile)) {
    const issued = token(evidence);
    if ('verdict' in issued) return issued;
  }
  const exchange = answered(evidence.data.first);
  if ('verdict' in exchange || isSuccess(exchange)) return exchange;
  return couldNotRun(`The data was not served (see MRS-4.2a): ${inWords(exchange)}.`);
}
