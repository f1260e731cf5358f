/** The rest is in the proof: each wrong client breaks one of these rules, and each permitted one keeps them. */
import { type Details, testRows } from '../testing/scenes.ts';

const FORM = 'application/x-www-form-urlencoded';
const none = { token: undefined };
const details: Details = {
  charset: { contentType: `${FORM}; charset=utf-8` },
  capitals: { contentType: FORM.toUpperCase() },
  'any-type': { accept: '*/*' },
  'no-accept': { accept: undefined },
  'client-id-only': { fields: ['client_id'] },
  'other-secret': { reason: 'wrong-credentials' },
  unknown: { ...none, reason: 'unknown-token' },
  revoked: { reason: 'revoked' },
  head: { method: 'HEAD' },
  'with-other': { authorization: 'malformed' },
  health: { ...none, authorization: undefined, accept: undefined, kind: 'health' },
  other: { ...none, authorization: undefined, accept: undefined, kind: 'other' },
};

testRows(
  `
  form-content-type passed | writes the type in capitals          | a0@capitals r20
  data-accept failed       | repeats a read without the header    | a0 r20 x3020 a3040 r3060@no-accept r3260 | | was none #5
  bearer-header failed     | sends an unknown token              | a0 r20 r220!401@unknown | | with a token that was never issued #3
  bearer-header passed     | sends a token that was revoked       | a0 r20 r220!401@revoked
  bearer-header passed data-accept passed token-accept passed form-content-type passed | checks the health, and calls another path | a0 r20 r220@health r240@other
  data-path could-not-run  | reads by HEAD only                   | a0 r20@head
  data-path passed         | reads by HEAD and GET                | a0 r20@head r40
  token-accept passed form-content-type passed form-fields passed data-accept could-not-run bearer-header could-not-run | never reads | a0
  token-accept could-not-run form-content-type could-not-run form-fields could-not-run data-accept passed bearer-header passed | never asks | r0:1`,
  { details, given: 'agreed=3' },
);

const elsewhere = (method: string, path: string, status = 404) =>
  ({ ...none, authorization: undefined, kind: 'other', method, path, status }) as const;
testRows(
  `
  token-path failed | puts another path before that of the token | a0@doubled r20 | | 404. Keep the path of the base URL
  data-path failed  | posts for the data at another path | a0 r20@posted r220 | | Use the method GET
  data-path failed  | leaves out the last slash at another path | a0 r20@bare r220 | | Use the path /ods_data/ as it is
  token-path passed data-path passed | calls endpoints of the service that have the same last name | a0 a10@served r20 r220@other-data`,
  {
    details: {
      doubled: elsewhere('POST', '/api/api/token/'),
      posted: elsewhere('POST', '/v1/ods_data/', 405),
      bare: elsewhere('GET', '/v1/ods_data'),
      served: elsewhere('POST', '/other/token/', 200),
      'other-data': elsewhere('GET', '/other/ods_data/', 200),
    },
  },
);
