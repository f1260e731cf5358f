/** What a violation means, the gravest first. */
export const SEVERITIES = [
  'security', // Someone gets what is not theirs.
  'breaks-clients', // Clients cannot get or read the data.
  'wrong-data', // Clients act on data that is wrong.
  'burdens-service', // The service gets more requests than the clients need.
  'form', // Only the form differs: most programs do not notice.
] as const;

export type Severity = (typeof SEVERITIES)[number];
