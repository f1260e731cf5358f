/** Every client that an examination of clients must catch. */
import type { WrongClient } from './subject.ts';
import { wrongDataCalls } from './wrong/data-call.ts';
import { wrongInTrouble } from './wrong/endurance.ts';
import { wrongRenewals } from './wrong/renewal.ts';
import { wrongTokenRequests } from './wrong/token-request.ts';
import { wrongTokenUses } from './wrong/token-use.ts';

export const wrongClients: readonly WrongClient[] = [
  ...wrongTokenRequests,
  ...wrongDataCalls,
  ...wrongTokenUses,
  ...wrongRenewals,
  ...wrongInTrouble,
];
