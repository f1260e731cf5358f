/** Each profile that comes with the package, as the mock lives by it. */
import type { Variant } from '../deployment.ts';

export const profileVariants: readonly Variant[] = ['nrao-ods', 'ods-record', 'rfc6750', 'static-feed'].map(
  (profile) => ({
    name: `profile-${profile}`,
    summary: `behaves as the mock does under the profile ${profile}`,
    profile,
    override: () => ({}),
  }),
);
