/** Who may import whom: `npm run lint`. A rule that is broken is printed with the comment, which says what to do. */

const TEST_MATERIAL = String.raw`\.test\.ts$|(^|/)testing/|^scripts/(check|e2e)/`;

/** `from` may not import `to`. */
const forbid = (name, from, to, comment) => ({
  name,
  comment,
  severity: 'error',
  from: ruleOf(from),
  to: ruleOf(to),
});
const ruleOf = (paths) => (typeof paths === 'string' ? { path: paths } : paths);

export default {
  forbidden: [
    forbid(
      'no-cycle',
      {},
      { circular: true },
      'Files import each other in a circle. Move what both need to a third file.',
    ),
    forbid(
      'mocks-import-no-tests',
      '^mocks/',
      '^tests/',
      'Join the two in scripts/, or declare the type that mocks/ needs there.',
    ),
    forbid(
      'tests-import-no-mocks',
      '^tests/',
      '^mocks/',
      'Join the two in scripts/, or declare the type that tests/ needs there.',
    ),
    forbid(
      'only-scripts-import-scripts',
      '^(mocks|tests)/',
      '^scripts/',
      'Move what both need to mocks/ or tests/support/.',
    ),
    forbid(
      'shared-imports-no-judge',
      '^tests/(report|support|traffic)/',
      '^tests/(server|client|feed)/',
      'Pass the value in, or move it to the shared folder.',
    ),
    forbid(
      'judges-import-no-other-judge',
      '^tests/(client|feed)/',
      { path: '^tests/(server|client|feed)/', pathNot: '^tests/$1/' },
      'Move what both need to tests/report/ or tests/support/.',
    ),
    forbid(
      'server-imports-no-client',
      '^tests/server/',
      '^tests/client/',
      'Move what both need to tests/support/.',
    ),
    forbid(
      'contract-knows-only-the-contract',
      String.raw`^mocks/contract/[\w-]+\.ts$`,
      { path: '^mocks/', pathNot: '^mocks/contract/' },
      'Pass the value in, or move it down.',
    ),
    forbid(
      'mock-knows-no-behaviour',
      { path: String.raw`^mocks/[\w-]+\.ts$`, pathNot: '^mocks/options.ts$' },
      '^mocks/deployments/',
      'Find it by its name, or add a hook to mocks/respond.ts that the deployment sets.',
    ),
    forbid(
      'options-find-behaviours-by-name',
      '^mocks/options.ts$',
      { path: '^mocks/deployments/', pathNot: '^mocks/deployments/(find-)?deployment.ts$' },
      'Find it by its name, or add a hook to mocks/respond.ts that the deployment sets.',
    ),
    forbid(
      'forwarding-knows-no-recording',
      '^scripts/proxy/(forward|exchange|service).ts$',
      '^scripts/(judge/|proxy/(call|har-file|proxy).ts$)',
      'Pass the value in.',
    ),
    forbid(
      'spec-judges-evidence-only',
      String.raw`^tests/server/[\d.]+-[\w-]+\.spec\.ts$`,
      { path: '^(mocks|tests|scripts)/', pathNot: '^tests/server/((suite|requests).ts$|support/)' },
      'Move what a requirement needs to tests/server/support/.',
    ),
    forbid(
      'product-imports-no-test-material',
      { path: '^(mocks|tests|scripts)/', pathNot: TEST_MATERIAL },
      { path: TEST_MATERIAL },
      'Move what the product needs out of there.',
    ),
  ],
  options: {
    includeOnly: '^(mocks|tests|scripts)/',
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.mjs', '.js'] },
  },
};
