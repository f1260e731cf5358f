/** Deployments whose tokens have another form or lifetime. The specification says only that a token is a string. */
import { TOKEN_LENGTH as LENGTH } from '../../tokens.ts';
import {
  again,
  aged,
  decoded,
  encoded,
  instead,
  isSigned,
  livesLonger,
  numbered,
  on,
  serveRecords,
  signed,
  status,
  tokens,
} from '../behaviour.ts';
import { all, type Override, type Variant, variantsOf } from '../deployment.ts';
import { indented, text, type } from '../edits.ts';

const CLAIMS = 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJkZW1vIiwic2NvcGUiOiJyZWFkIn0';

/** Adds something to each token. */
const extended = (more: string): Override =>
  encoded(
    (own) => own + more,
    (token) => token.slice(0, LENGTH),
  );

/** As an encoder writes what a lenient decoder reads. */
const recoded = (token: string) =>
  token
    .split('.')
    .map((part) => Buffer.from(part, 'base64url').toString('base64url'))
    .join('.');

/** Consists of two replicas in turn, whose clocks differ by 0.4 s. */
const replicas = (firstMs: number): Override =>
  aged((sinceExpiryMs, _, nth) => sinceExpiryMs < (nth % 2 ? firstMs : -firstMs));

/** Another client has obtained the token before the run: it ends after this number of reads. */
const nearlyOver = (reads: number): Override =>
  tokens((own, issued) => {
    let left = reads;
    const isOver = (token: string) => token === issued[0] && left <= 0;
    return {
      issue(options) {
        const current = issued.at(-1) ?? '';
        return isOver(current) || own.find(current).status !== 'valid' ? own.issue(options) : current;
      },
      find(token) {
        const found = own.find(token);
        if (isOver(token)) return { ...found, status: 'expired' };
        if (token === issued[0]) left--;
        return found;
      },
    };
  });

const conformant = variantsOf({
  'expires-a-little-early: ends each token a twentieth of its time before the agreed end': () =>
    livesLonger(0.95),
  'token-jwt: issues tokens of three parts, like a signed JWT': () =>
    encoded(
      (own) => `${CLAIMS}.${own}`,
      (token) => token.slice(CLAIMS.length + 1),
    ),
  'token-4-kib: issues tokens of 4 KiB': () => extended('A'.repeat(4096 - LENGTH)),
  'token-1500: issues tokens of 1,500 characters': () => extended('A'.repeat(1500 - LENGTH)),
  'token-special-characters: issues tokens with every special character': () => extended('-._~+/=='),
  'token-short: issues tokens of six characters': () => numbered((_, own) => own.slice(0, 6)),
  'token-hexadecimal: issues tokens of 64 hexadecimal digits': () =>
    encoded(
      (own) => Buffer.from(own).toString('hex'),
      (token) => Buffer.from(token, 'hex').toString(),
    ),
  'token-jwt-signed: issues JWTs, and checks their signatures': () => all(serveRecords, signed(isSigned)),
  'token-jwt-decoded-leniently: issues tokens of three parts, and compares the bytes of each, without bits that are too many':
    () =>
      decoded(
        (own) => `${CLAIMS}.${own}`,
        (token) => (recoded(token).startsWith(`${CLAIMS}.`) ? recoded(token).slice(CLAIMS.length + 1) : ''),
      ),
  'replicas-clocks-differ: has two replicas, whose clocks differ by 0.2 s': () =>
    all(serveRecords, replicas(-200)),
  'same-token-until-expiry: issues the same token again until it has expired': () =>
    again((issued, own) => (own.find(issued.at(-1) ?? '').status === 'valid' ? issued.at(-1) : undefined)),
  'newest-token-only: keeps only the newest token valid': () =>
    status(({ token, issued, found }) => (token === issued.at(-1) ? found.status : 'unknown')),
  'bad-tokens-lock: takes bad tokens for expired ones after the third': () =>
    all(serveRecords, instead({ to: 'unknownToken', from: 4 }, 'expired')),
  'token-response-json-suffix: sends the token response as a media type that ends with +json, and indented':
    () => on('issued', type('application/vnd.example.token+json'), indented),
  'token-response-in-lines: writes the token response in several lines, and each slash of a token with a JSON escape':
    () =>
      all(
        extended('/+~.='),
        on(
          'issued',
          indented,
          text((old) => old.replaceAll('/', '\\/')),
        ),
      ),
  'token-response-escaped: writes the name of the field token with a JSON escape': () =>
    on(
      'issued',
      text((old) => old.replace('"token"', '"\\u0074oken"')),
    ),
  ...Object.fromEntries(
    [0, 1, 2].map((reads) => [
      `same-token-ends-after-${reads}: issues one token until it expires, the first after ${reads} reads`,
      () => all(serveRecords, nearlyOver(reads)),
    ]),
  ),
});

export const tokenVariants: readonly Variant[] = [
  ...conformant,
  ...variantsOf(
    { 'expires-early: ends each token after half of the agreed time': () => livesLonger(0.5) },
    { cannotRun: ['MRS-5.3b'] },
  ),
];
