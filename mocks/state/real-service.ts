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
