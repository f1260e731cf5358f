/** Requirements that could not be run, because the deployment lacks something that they depend on. */

/** Nothing was served with a valid token, so no refusal proves anything. */
export const withoutData = [
  'MRS-1.3',
  'MRS-4.2b',
  'MRS-5.3b',
  'MRS-5.5a',
  'MRS-5.5b',
  'MRS-5.6a',
  'MRS-5.6b',
  'MRS-7a',
];

/** Valid credentials obtained no token. */
export const withoutToken = [
  'MRS-4.1e',
  'MRS-4.1f',
  'MRS-4.1g',
  'MRS-4.1h',
  'MRS-4.1i',
  'MRS-4.1j',
  'MRS-4.1m',
  'MRS-4.2a',
  ...withoutData,
];

/** Valid credentials had no success, so there is no token response to judge. */
export const withoutTokenResponse = ['MRS-2a', 'MRS-4.1k', 'MRS-4.1l', ...withoutToken];
