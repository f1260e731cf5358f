/** Certificates for tests (RFC 5280), in the encoding of ITU-T X.690: no tool has to be installed for them. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

export interface Certificate {
  /** As PEM. */
  cert: string;
  key: string;
  name: string;
  privateKey: KeyObject;
}

export interface CertificateOptions {
  /** Signs itself where it is absent. */
  issuer?: Certificate;
  /** Of the host; an authority has none. */
  host?: string;
  until?: string;
}

export function createCertificate(name: string, { issuer, host, until }: CertificateOptions): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = der(0x30, oid('2a8648ce3d040302')); // ecdsa-with-SHA256
  const content = der(
    0x30,
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.from([1])),
    algorithm,
    nameOf(issuer?.name ?? name),
    der(0x30, time('20200101000000Z'), time(until ?? '20991231000000Z')),
    nameOf(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, host === undefined ? AUTHORITY : hostName(host))),
  );
  const signature = sign('sha256', content, issuer?.privateKey ?? privateKey);
  const bytes = der(0x30, content, algorithm, der(0x03, Buffer.of(0), signature));
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${bytes.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    name,
    privateKey,
  };
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
}

const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const time = (text: string) => der(0x18, Buffer.from(text));
const nameOf = (name: string) => der(0x30, der(0x31, der(0x30, oid('550403'), der(0x0c, Buffer.from(name)))));
const hostName = (host: string) =>
  der(0x30, oid('551d11'), der(0x04, der(0x30, der(0x82, Buffer.from(host)))));
const AUTHORITY = der(
  0x30,
  oid('551d13'),
  der(0x01, Buffer.of(255)),
  der(0x04, der(0x30, der(0x01, Buffer.of(255)))),
);
