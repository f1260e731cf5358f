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

/** Why a proxy, which shows a real service in place of a mock, does not offer what only a mock can do. */

/** Each follows "A real service answers here, and". */
export const WHY_SERVICE = {
  calls: 'the report needs every call',
  clients: 'its administrator creates and changes its clients',
  clock: 'its clock cannot be moved',
  expire: 'only the service ends its tokens. Start the proxy with --inject to refuse them in its place',
  restore: 'it cannot be restored to an earlier moment',
  script: 'scripts are for mocks. Start the proxy with --inject to play a scenario',
} as const;

export const realService = (why: string): string => `A real service answers here, and ${why}.`;
