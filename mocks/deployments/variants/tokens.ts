/** Deployments whose tokens have another form or lifetime. The specification says only that a token is a string. */
import { TOKEN_LENGTH as LENGTH } from '../../tokens.ts';
import { instead, on, serveRecords } from '../behaviour.ts';
import { all, type Deployment, type Override, UNDECIDED, variantsOf } from '../deployment.ts';
import { indented, text, type } from '../edits.ts';
import { againUntilExpiry, encoded, livesLonger, replaced, signed, status } from '../tokens.ts';

const CLAIMS = 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJkZW1vIiwic2NvcGUiOiJyZWFkIn0';

/** Adds something to each token. */
const extended = (more: string): Override =>
  encoded(
    (own) => own + more,
    (token) => token.slice(0, LENGTH),
  );

export const tokenVariants: readonly Deployment[] = [
  ...variantsOf({
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
    'token-short: issues tokens of six characters': () => replaced((own) => own.slice(0, 6)),
    'token-hexadecimal: issues tokens of 64 hexadecimal digits': () =>
      encoded(
        (own) => Buffer.from(own).toString('hex'),
        (token) => Buffer.from(token, 'hex').toString(),
      ),
    'token-jwt-signed: issues JWTs, and checks their signatures': () => all(serveRecords, signed()),
    'replicas-clocks-differ: has two replicas, whose clocks differ by 0.4 s': () =>
      all(
        serveRecords,
        status(({ found, nth, sinceExpiryMs }) =>
          found.status === 'unknown'
            ? 'unknown'
            : sinceExpiryMs < (nth % 2 ? -200 : 200)
              ? 'valid'
              : 'expired',
        ),
      ),
    'same-token-until-expiry: issues the same token again until it has expired': () => againUntilExpiry,
    // Another client has obtained the token before the run.
    'same-token-ends-after-1: issues one token until it expires, the first after one read': () =>
      all(
        serveRecords,
        status(({ token, issued, found, times }) =>
          found.status === 'valid' && token === issued[0] && times > 1 ? 'expired' : found.status,
        ),
        againUntilExpiry,
      ),
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
  }),
  ...variantsOf(
    { 'expires-early: ends each token after half of the agreed time': () => livesLonger(0.5) },
    UNDECIDED,
  ),
];
