/** Which clients a proof is about. */
import { permittedClients } from '../tests/clients/permitted.ts';
import type { PermittedClient, Subject, WrongClient } from '../tests/clients/subject.ts';
import { wrongClients } from '../tests/clients/wrong.ts';

export interface ClientSelection {
  wrong: readonly WrongClient[];
  permitted: readonly PermittedClient[];
}

/** Those with these names, or all if there is none. */
export function selectClients(names: readonly string[]): ClientSelection {
  const chosen = ({ name }: Subject) => names.length === 0 || names.includes(name);
  return { wrong: wrongClients.filter(chosen), permitted: permittedClients.filter(chosen) };
}
