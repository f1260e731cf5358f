import { expect, _baseTest as test } from '@playwright/test';
import { readGatewayHeaders } from './target.ts';

const env = { KEY: 's3cret-of-the-gateway', TENANT: 'acme', EMPTY: '', LINE: 's3cret\n', WIDE: 's3crét' };
const messageOf = (text: string): string => {
  try {
    readGatewayHeaders(text, env);
  } catch (error) {
    return (error as Error).message;
  }
  return '';
};


test('headers take their values from variables', () => {
  expect(readGatewayHeaders('X-Api-Key=env:KEY, x-tenant=env:TENANT', env)).toEqual([
    { name: 'X-Api-Key', variable: 'KEY', value: env.KEY },
    { name: 'x-tenant', variable: 'TENANT', value: 'acme' },
  ]);
});

for (const [name, why] of [
  ['Authorization', 'the run sets it itself'],
  ['ACCEPT', 'the run sets it itself'],
  ['User-Agent', '--user-agent (MRS_USER_AGENT) does that'],
  ['Content-Length', 'it decides how a request is transferred'],
  ['host', 'it decides how a request is transferred'],
  ['Transfer-Encoding', 'it decides how a request is transferred'],
  ['Proxy-Authorization', 'it is for a proxy, whose credentials are part of the URL in HTTPS_PROXY'],
  ['Cookie', 'it can change the answer that is judged'],
  ['If-None-Match', 'it can change the answer that is judged'],
  ['Range', 'it can change the answer that is judged'],
  ['X-HTTP-Method-Override', 'it can change the answer that is judged'],
] as const)
  test(`the header ${name} is refused`, () => {
    expect(messageOf(`${name}=env:KEY`)).toBe(
      `--header (MRS_HEADER) has ${name}, which cannot be set: ${why}. Leave it out.`,
    );
  });

for (const [text, problem] of [
  ['X-Api-Key=s3cret', /does not name a variable for X-Api-Key\. Put the value into one/],
  ['s3cret', /has a header whose name is invalid\./],
  ['X-Api-Key=env:KEY,s3cret', /has a header whose name is invalid\./],
  ['X-Api-Key=env:TOKEN', /from the variable TOKEN, a name that the run uses itself\. Choose another/],
  ['X-Api-Key=env:MRS_CLIENT_ID', /from the variable MRS_CLIENT_ID, a name that the run uses itself\./],
  ['X-Api-Key=env:s3cret-value', /does not name a variable for X-Api-Key\./],
  ['X-Api-Key: s3cret', /has a header whose name is invalid\./],
  ['=env:KEY', /has a header whose name is invalid\./],
  ['', /has a header whose name is invalid\./],
  ['X-Api-Key=env:NOWHERE', /takes X-Api-Key from the variable NOWHERE, which is not set\. Set it/],
  ['X-Api-Key=env:EMPTY', /from the variable EMPTY, which is empty\./],
  ['X-Api-Key=env:LINE', /from the variable LINE, which has a character that no header can carry\./],
  ['X-Api-Key=env:WIDE', /from the variable WIDE, which has a character that no header can carry\./],
  ['X-Api-Key=env:KEY,x-api-key=env:TENANT', /has x-api-key twice\. Leave one of them out\./],
] as const)
  test(`the header "${text}" is refused, and no value is repeated`, () => {
    expect(messageOf(text)).toMatch(problem);
    expect(messageOf(text)).not.toMatch(/s3cr/);
  });
