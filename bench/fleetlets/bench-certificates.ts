import { generateKeyPairSync } from 'node:crypto';
import { issueAuthorityCertificate, issuePeerCertificate, issueServerCertificate } from '#kit/pki';
import { uuidv7 } from '#kit/std';

export interface BenchCertificates {
  readonly authority: string;
  readonly server: { readonly cert: string; readonly key: string };
  /** Shared by all: generating a thousand keys is not part of the measurement. */
  readonly key: string;
  readonly fleetlets: readonly { readonly uid: string; readonly cert: string }[];
}

const DAY_MS = 86_400_000;

export function benchCertificates(count: number): BenchCertificates {
  const [own, serving, peers] = [keyPair(), keyPair(), keyPair()];
  const authority = { name: 'bench authority', key: own.privateKey };
  const [notBefore, notAfter] = [new Date(Date.now() - DAY_MS), new Date(Date.now() + DAY_MS)];
  const names = ['localhost', '127.0.0.1'];
  const order = { name: 'localhost', names, publicKey: serving.publicKey, notBefore, notAfter };
  const fleetlets = Array.from({ length: count }, () => {
    const uid = uuidv7();
    const its = { name: uid, uri: `fleetshift://fleetlet/${uid}`, dnsName: `${uid}.fleetlet.fleetshift.internal` };
    return { uid, cert: issuePeerCertificate(authority, { ...its, publicKey: peers.publicKey, notBefore, notAfter }) };
  });
  return {
    authority: issueAuthorityCertificate(authority, notBefore, notAfter),
    server: { cert: issueServerCertificate(authority, order), key: pemOf(serving.privateKey) },
    key: pemOf(peers.privateKey),
    fleetlets,
  };
}

function keyPair() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

function pemOf(key: ReturnType<typeof keyPair>['privateKey']): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}
