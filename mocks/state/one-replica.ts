/** Why replicas that share a token key do not offer what only one of them could know or do. */

/** Each follows "Several replicas may serve this address, and". */
export const WHY = {
  calls: 'each has a journal of its own calls only',
  certificate: 'each sees only some of the calls of a client',
  clients: 'only one of them would know of the change',
  clock: 'only one of them would have its clock moved',
  expire: 'the others would still accept the token',
  nextExpiry: 'each knows the next expiry of its own tokens only',
  page: 'the page shows one of them only',
  restore: 'only one of them would be restored',
  script: 'a script counts the calls of one of them only',
  tokens: 'each lists its own tokens only',
} as const;

export const oneReplica = (why: string): string =>
  `Several replicas may serve this address, and ${why}: start one mock without a token key for this.`;
