import { createPublicKey, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { issueAuthorityCertificate, issuePeerCertificate } from '#kit/pki';
import { Secret } from '#kit/std';

const DAY_MS = 86_400_000;

export interface CertifiedPeer {
  readonly cert: string;
  readonly key: Secret;
  readonly der: Uint8Array;
}

/** A certificate authority like the platform's, and the certificates it issues. */
export class CertifiedPeers {
  readonly #authority = { name: 'test authority', key: newKey() };
  /** PEM. */
  readonly pem: string;

  constructor(now = Date.now()) {
    this.pem = issueAuthorityCertificate(this.#authority, new Date(now - DAY_MS), new Date(now + DAY_MS));
  }

  issue(uid: string, { notBefore, notAfter }: { notBefore?: number; notAfter?: number } = {}): CertifiedPeer {
    const key = newKey();
    const cert = issuePeerCertificate(this.#authority, {
      name: uid,
      uri: `fleetshift://fleetlet/${uid}`,
      dnsName: `${uid}.test`,
      publicKey: createPublicKey(key),
      notBefore: new Date(notBefore ?? Date.now() - DAY_MS / 2),
      notAfter: new Date(notAfter ?? Date.now() + DAY_MS / 2),
    });
    const secret = new Secret(key.export({ type: 'pkcs8', format: 'pem' }).toString());
    return { cert, key: secret, der: new X509Certificate(cert).raw };
  }
}

function newKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
}
