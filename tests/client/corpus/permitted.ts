/** Every client that an examination of clients must accept, however unlike the others it is. */
import { permittedInTime } from './permitted/in-time.ts';
import { permittedOnTheWire } from './permitted/on-the-wire.ts';
import type { PermittedClient } from './subject.ts';

export const permittedClients: readonly PermittedClient[] = [...permittedInTime, ...permittedOnTheWire];
