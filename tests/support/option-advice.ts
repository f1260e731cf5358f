/** What a user of recorded traffic can do without a new recording. A reason that asks for it ends with one of these. */

export const OPTION_ADVICE = {
  lifetime: 'Give --token-lifetime.',
  otherLifetime: 'Ask the operator which is right, or correct --token-lifetime.',
  healthPaths: 'Name them with --health-paths.',
} as const;

/** Whether an option is enough to judge what was not judged for this reason. */
export const takesOption = (reason: string): boolean =>
  Object.values(OPTION_ADVICE).some((advice) => reason.endsWith(advice));
