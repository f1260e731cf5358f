/** Certificate authorities that a run trusts in addition to those that Node.js trusts. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import { readNamed, TEXT_BYTES } from '../../support/files.ts';
import { UsageError } from '../../support/usage-error.ts';

/** The certificates in a PEM file (RFC 7468), one each. Throws UsageError with what is wrong with it. */
export function readAuthorities(file: string): string[] {
  const certificates = certificatesIn(readNamed(file, TEXT_BYTES, `--ca (MRS_CA) names ${file}, which`));
  if (certificates.length === 0)
    throw new UsageError(
      `--ca (MRS_CA) names ${file}, which holds no PEM certificate (-----BEGIN CERTIFICATE-----). Name another file; ` +
        'openssl x509 -inform der converts one that is binary.',
    );
  const broken = certificates.findIndex((pem) => !isCertificate(pem));
  if (broken === -1) return certificates;
  throw new UsageError(
    `--ca (MRS_CA) names ${file}, whose certificate ${broken + 1} of ${certificates.length} is damaged. Get the file again.`,
  );
}

/** For connections: authorities that are given to them replace those of Node.js, so those are given too. */
export const contextTrusting = (authorities: readonly string[]): SecureContext =>
  createSecureContext({ ca: trustedWith(authorities) });

export const trustedWith = (authorities: readonly string[]): string[] => [
  ...rootCertificates,
  ...extraCertificates(),
  ...authorities,
];

/** What Node.js trusts by NODE_EXTRA_CA_CERTS; it warns by itself of a file that it cannot read. */
function extraCertificates(): string[] {
  const file = process.env.NODE_EXTRA_CA_CERTS;
  if (!file) return [];
  try {
    return certificatesIn(readFileSync(file, 'utf8')).filter(isCertificate);
  } catch {
    return [];
  }
}

const certificatesIn = (text: string): string[] =>
  text.match(/-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs) ?? [];

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
