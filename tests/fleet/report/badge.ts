/** A badge in the format of an endpoint of shields.io. */
import type { DeploymentOutcome } from '../fleet-outcome.ts';
import { type Deployment, OUTCOME_WORDS } from './wording.ts';

const COLORS: Readonly<Record<DeploymentOutcome, string>> = {
  conformant: 'brightgreen',
  'conformant-to-profile': 'green',
  nonconformant: 'red',
  incomplete: 'yellow',
  error: 'lightgrey',
  'no-report': 'red',
};

/** https://shields.io/badges/endpoint-badge */
export const badgeOf = ({ outcome }: Deployment): string =>
  `${JSON.stringify({
    schemaVersion: 1,
    label: 'mrs',
    message: OUTCOME_WORDS[outcome].word,
    color: COLORS[outcome],
  })}\n`;
