import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  type KeyObject,
  X509Certificate,
} from 'node:crypto';
import { type Authority, issueAuthorityCertificate, issuePeerCertificate } from '#kit/pki';
import { type Clock, Secret, type Uuid, unlessAborted } from '#kit/std';
import type { MadeAuthority } from '../../application/authority-service.ts';
import type { CertificateOrder, CertificateSigner } from '../../application/ports.ts';
import {
  AUTHORITY_LIFE_MS,
  type CertificateAuthority,
  issuingAuthority,
  trustedAuthorities,
} from '../../domain/authority.ts';
import { EnrolmentError } from '../../domain/enrolment-error.ts';
import { fleetletDnsName, fleetletUri } from '../../domain/fleetlet-names.ts';

/** Encrypts a secret so that only this platform can open it, and only in the same place. */
export interface Sealer {
  seal(secret: Secret<string>, place: SealedPlace, signal: AbortSignal): Promise<string>;
  open(sealed: string, place: SealedPlace, signal: AbortSignal): Promise<Secret<string>>;
}

interface SealedPlace {
  readonly table: string;
  readonly row: readonly string[];
  readonly column: string;
}

export interface CertificateAuthoritiesDeps {
  readonly read: (signal: AbortSignal) => Promise<readonly CertificateAuthority[]>;
  readonly sealer: Sealer;
  readonly newUid: () => Uuid;
  readonly clock: Clock;
}

/** An authority with its parsed certificate. */
export interface ReadAuthority {
  readonly authority: CertificateAuthority;
  readonly x509: X509Certificate;
}

/** In case the announcement of another process was lost. */
const MAX_AGE_MS = 30_000;
const READ_MS = 10_000;
/** So that a clock that is set back, here or at a fleetlet, does not make an authority invalid. */
const BACKDATED_MS = 30 * 86_400_000;

/** The authorities of this instance and their opened keys, cached. */
export class CertificateAuthorities {
  readonly #deps: CertificateAuthoritiesDeps;
  readonly #keys = new Map<string, KeyObject>();
  #lastRead: readonly ReadAuthority[] = [];
  #known: { readonly all: Promise<readonly ReadAuthority[]>; readonly until: number } | undefined;

  constructor(deps: CertificateAuthoritiesDeps) {
    this.#deps = deps;
  }

  async all(signal: AbortSignal): Promise<readonly ReadAuthority[]> {
    const now = this.#deps.clock.now();
    if (this.#known === undefined || now >= this.#known.until) {
      // Several callers share the read, so it has its own deadline.
      const all = this.#deps.read(AbortSignal.timeout(READ_MS)).then((list) => list.map(toRead));
      const known = { all, until: now + MAX_AGE_MS };
      this.#known = known;
      all.then(
        (read) => {
          this.#lastRead = read;
        },
        () => {
          if (this.#known === known) this.#known = undefined;
        },
      );
    }
    return await unlessAborted(this.#known.all, signal);
  }

  /** As last read: for decisions that cannot wait. */
  get lastRead(): readonly ReadAuthority[] {
    return this.#lastRead;
  }

  forget(): void {
    this.#known = undefined;
  }

  /** PEM of all authorities that are not retired. */
  async bundle(signal: AbortSignal): Promise<string> {
    return bundleOf(await this.#list(signal), this.#deps.clock.now());
  }

  /** To be called before the transaction that uses it: opening the key may need a remote call. */
  async signer(signal: AbortSignal): Promise<CertificateSigner> {
    const all = await this.#list(signal);
    const now = this.#deps.clock.now();
    const authority = issuingAuthority(all, now);
    if (authority === undefined) {
      throw new EnrolmentError('STORED_ENROLMENT_INVALID', 'issue a certificate: there is no authority that can issue');
    }
    const key = await this.#keyOf(authority, signal);
    return { authority, bundle: bundleOf(all, now), sign: (order) => sign({ name: authority.name, key }, order) };
  }

  /** A new authority, sealed for its row, and not published yet. */
  async make(signal: AbortSignal): Promise<MadeAuthority> {
    const { newUid, sealer, clock } = this.#deps;
    const [uid, now] = [newUid(), clock.now()];
    const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    const name = `FleetShift fleetlets ${uid.slice(-8)}`;
    const notAfter = now + AUTHORITY_LIFE_MS;
    const certificate = issueAuthorityCertificate({ name, key }, new Date(now - BACKDATED_MS), new Date(notAfter));
    const text = new Secret(key.export({ type: 'pkcs8', format: 'pem' }).toString());
    const sealedKey = await sealer.seal(text, placeOf(uid), signal);
    const fingerprint = hash('sha256', new X509Certificate(certificate).raw, 'hex');
    return { uid, name, certificate, fingerprint, sealedKey, createTime: now, notAfter };
  }

  async #list(signal: AbortSignal): Promise<readonly CertificateAuthority[]> {
    return (await this.all(signal)).map(({ authority }) => authority);
  }

  async #keyOf({ uid, sealedKey }: CertificateAuthority, signal: AbortSignal): Promise<KeyObject> {
    const known = this.#keys.get(uid);
    if (known !== undefined) return known;
    const key = createPrivateKey((await this.#deps.sealer.open(sealedKey, placeOf(uid), signal)).reveal());
    this.#keys.set(uid, key);
    return key;
  }
}

function toRead(authority: CertificateAuthority): ReadAuthority {
  return { authority, x509: new X509Certificate(authority.certificate) };
}

function bundleOf(all: readonly CertificateAuthority[], now: number): string {
  return trustedAuthorities(all, now)
    .map(({ certificate }) => certificate)
    .join('');
}

function sign(by: Authority, { fleetlet, key, notBefore, notAfter }: CertificateOrder) {
  const pem = issuePeerCertificate(by, {
    name: fleetlet,
    uri: fleetletUri(fleetlet),
    dnsName: fleetletDnsName(fleetlet),
    publicKey: createPublicKey({ key: Buffer.from(key.spki), format: 'der', type: 'spki' }),
    notBefore: new Date(notBefore),
    notAfter: new Date(notAfter),
  });
  return { pem, serial: new X509Certificate(pem).serialNumber.toLowerCase() };
}

function placeOf(uid: string): SealedPlace {
  return { table: 'enrolment_authorities', row: [uid], column: 'sealed_key' };
}
