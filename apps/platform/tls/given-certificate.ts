import { Secret } from '#kit/std';
import type { CertificateSource, ServerCertificate } from './certificate-source.ts';
import { parseCertificate, parsePrivateKey, readIfThere, unusable } from './read-pem.ts';

export interface GivenCertificateOptions {
  readonly certificateFile: string;
  readonly keyFile: string;
}

/** Files managed by others: read again each time, so that a renewal needs no notification. */
export function givenCertificate({ certificateFile, keyFile }: GivenCertificateOptions): CertificateSource {
  return {
    authorityFile: undefined,
    current(now): ServerCertificate {
      const chain = read(certificateFile, '--tls-cert');
      const keyPem = read(keyFile, '--tls-key');
      const certificate = parseCertificate(chain, `--tls-cert ${certificateFile}`);
      const key = parsePrivateKey(keyPem, `--tls-key ${keyFile}`);
      if (!certificate.checkPrivateKey(key)) {
        throw unusable(`--tls-key ${keyFile} is not the key of --tls-cert ${certificateFile}`);
      }
      if (certificate.validToDate.getTime() <= now) {
        throw unusable(`--tls-cert ${certificateFile} expired on ${certificate.validToDate.toISOString()}; renew it`);
      }
      return { chain, key: new Secret(keyPem), notAfter: certificate.validToDate };
    },
  };
}

function read(file: string, flag: string): string {
  const content = readIfThere(file);
  if (content === undefined) throw unusable(`${flag} ${file} does not exist`);
  return content;
}
