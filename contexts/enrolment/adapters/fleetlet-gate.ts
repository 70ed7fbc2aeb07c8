import { hash, X509Certificate } from 'node:crypto';
import { PkiError, readCertificateToken } from '#kit/pki';
import { type Clock, ReadCache } from '#kit/std';
import { SUPERSEDED } from '../application/enrol-service.ts';
import type { BoundTarget, FleetletAdmission, Recognition, ShownIdentity } from '../application/fleetlet-admission.ts';
import type { Binding } from '../application/ports.ts';
import { authorityState, type CertificateLimits } from '../domain/authority.ts';
import {
  type CertificateMark,
  type CertificateStanding,
  certificateStanding,
  type Succession,
  succession,
} from '../domain/certificate-standing.ts';
import type { Fleetlet } from '../domain/fleetlet.ts';
import type { CertificateAuthorities, ReadAuthority } from './pki/certificate-authorities.ts';
import { type FleetletCertificate, fleetletCertificate } from './pki/fleetlet-certificate.ts';
import { UsedTokens } from './pki/used-tokens.ts';

export interface FleetletGateDeps {
  readonly authorities: CertificateAuthorities;
  readonly fleetletByUid: (uid: string, signal: AbortSignal) => Promise<Fleetlet | undefined>;
  readonly boundTo: (fleetlet: string, target: string, signal: AbortSignal) => Promise<Binding | undefined>;
  /** The current target; `undefined` when it was deleted. */
  readonly targetByUid: (
    uid: string,
    signal: AbortSignal,
  ) => Promise<{ readonly name: string; readonly type: string } | undefined>;
  /** Records that the certificate is in use; returns the one that now is. */
  readonly use: (fleetlet: string, shown: CertificateMark, signal: AbortSignal) => Promise<CertificateMark | undefined>;
  readonly limits: CertificateLimits;
  readonly clock: Clock;
}

/** The audiences of tokens, so that an intercepted token is useless elsewhere. */
export const CONNECT_AUDIENCE = '/v1/fleetlet';
export const RENEW_AUDIENCE = '/v1/enroll:renew';

const REMEMBERED = 10_000;
/** How long another process may still accept a revoked fleetlet if the announcement is lost. */
const MAX_AGE_MS = 30_000;

type Refused = Extract<Recognition, { kind: 'refused' }>;

type Known = Extract<Recognition, { kind: 'known' }>;
type Judged = Refused | (Known & { readonly succession: Succession });

/**
 * The certificate that was presented. Parsed only if its holder is not cached: a fleetlet presents it on every stream.
 */
interface ShownCertificate {
  readonly fingerprint: string;
  /** `undefined` when it is not a certificate. */
  read(): X509Certificate | undefined;
  /** For a token, which is valid for a single use. */
  readonly use?: { readonly id: string; readonly until: number };
}

/** A certificate with its fleetlet, valid or not. */
interface Holder {
  readonly certificate: FleetletCertificate;
  readonly fleetlet: Fleetlet;
}

/**
 * Authenticates fleetlets. Caches what was read; the cache is emptied as soon as any process revokes anything. Validity
 * periods are checked at every request.
 */
export class FleetletGate implements FleetletAdmission {
  readonly #deps: FleetletGateDeps;
  readonly #used: UsedTokens;
  readonly #holders: ReadCache<Holder>;
  /** By fingerprint: certificates with a verified signature, so that a signature is verified once per connection. */
  readonly #vouched = new Map<string, FleetletCertificate>();
  /**
   * By fingerprint: the platform's own certificates that were revoked or superseded, which is final. Foreign
   * certificates never get here, so they cannot fill it.
   */
  readonly #ended = new Set<string>();
  /** By fleetlet: recorded since the holders were read. */
  readonly #inUse = new Map<string, CertificateMark>();

  constructor(deps: FleetletGateDeps) {
    this.#deps = deps;
    this.#used = new UsedTokens(deps.clock);
    this.#holders = new ReadCache({ clock: deps.clock, entries: REMEMBERED, maxAgeMs: MAX_AGE_MS });
  }

  vouches(der: Uint8Array): boolean {
    const fingerprint = fingerprintOf(der);
    if (this.#ended.has(fingerprint)) return false;
    const read = (): X509Certificate | undefined => x509Of(der);
    const certificate = this.#certificateBy({ fingerprint, read }, this.#deps.authorities.lastRead);
    if (certificate === undefined) return false;
    const { limits, clock } = this.#deps;
    return certificateStanding(certificate, { now: clock.now(), graceMs: limits.graceMs }) === 'valid';
  }

  async recognise(shown: ShownIdentity, signal: AbortSignal): Promise<Recognition> {
    const judged = await this.#judge(shown, { audience: CONNECT_AUDIENCE, takes: ['valid'] }, signal);
    if (judged.kind === 'refused') return judged;
    const { succession: order, ...known } = judged;
    if (order !== 'newer') return known;
    const inUse = await this.#use(known, signal);
    if (succession(known, inUse) === 'superseded') return IS_SUPERSEDED;
    return { ...known, notBefore: inUse?.notBefore ?? known.notBefore };
  }

  /** Accepts any certificate that can be renewed, including one that expired within the grace period. */
  async recogniseForRenewal(token: string, signal: AbortSignal): Promise<Recognition> {
    const takes = ['valid', 'renewable'] as const;
    return await this.#judge({ kind: 'token', text: token }, { audience: RENEW_AUDIENCE, takes }, signal);
  }

  async boundTarget(
    fleetlet: string,
    { name, type }: { readonly name: string; readonly type: string },
    signal: AbortSignal,
  ): Promise<BoundTarget> {
    const binding = await this.#deps.boundTo(fleetlet, name, signal);
    const target = binding && (await this.#deps.targetByUid(binding.uid, signal));
    if (binding === undefined || target === undefined) {
      const message = `This fleetlet is not bound to a target ${name}. Bind it: fleetshift fleetlet bind.`;
      return { kind: 'refused', reason: 'notBound', message };
    }
    if (target.type === type) return { kind: 'bound', uid: binding.uid, name, type };
    const message = `The target ${name} is of type ${target.type}, not ${type}.`;
    return { kind: 'refused', reason: 'wrongType', message };
  }

  async authorities(signal: AbortSignal): Promise<string> {
    return await this.#deps.authorities.bundle(signal);
  }

  /** To be called when anything was revoked, or may have been. */
  forget(): void {
    this.#holders.clear();
    this.#vouched.clear();
    this.#inUse.clear();
    this.#deps.authorities.forget();
  }

  async #judge(
    shown: ShownIdentity,
    { audience, takes }: { readonly audience: string; readonly takes: readonly CertificateStanding[] },
    signal: AbortSignal,
  ): Promise<Judged> {
    const certificate = await this.#certificateOf(shown, audience);
    if ('kind' in certificate) return certificate;
    const { fingerprint } = certificate;
    const holder = await this.#holders.get(fingerprint, () => this.#holderOf(certificate, signal));
    const judged =
      holder === undefined ? await this.#stranger(certificate, signal) : await this.#standing(holder, takes, signal);
    if (
      judged.kind === 'refused' &&
      (judged.reason === 'revoked' || judged.reason === 'superseded') &&
      this.#ended.size < REMEMBERED
    ) {
      this.#ended.add(fingerprint);
    }
    if (judged.kind === 'refused' || holder === undefined || this.#isFirstUse(certificate)) return judged;
    return refused('This token was already used. Sign a new one for each connection.');
  }

  #certificateBy(shown: ShownCertificate, authorities: readonly ReadAuthority[]): FleetletCertificate | undefined {
    const { fingerprint } = shown;
    const known = this.#vouched.get(fingerprint);
    if (known !== undefined) return known;
    const read = shown.read();
    const certificate = read && fleetletCertificate(read, authorities);
    if (certificate === undefined) return undefined;
    if (this.#vouched.size >= REMEMBERED) this.#vouched.clear();
    this.#vouched.set(fingerprint, certificate);
    return certificate;
  }

  async #certificateOf(shown: ShownIdentity, audience: string): Promise<ShownCertificate | Refused> {
    if (shown.kind === 'certificate') return { fingerprint: fingerprintOf(shown.der), read: () => x509Of(shown.der) };
    try {
      const { certificate, id, until } = await readCertificateToken(shown.text, {
        audience,
        now: this.#deps.clock.now(),
      });
      const fingerprint = fingerprintOf(certificate.raw);
      return { fingerprint, read: () => certificate, use: { id, until } };
    } catch (error) {
      if (error instanceof PkiError) return refused(`This is not a fleetlet token: ${error.message}.`);
      return NO_CERTIFICATE;
    }
  }

  /** Recorded only for the platform's own certificates: strangers cannot push used tokens out. */
  #isFirstUse({ fingerprint, use }: ShownCertificate): boolean {
    return use === undefined || this.#used.take(`${fingerprint} ${use.id}`, use.until);
  }

  async #holderOf(shown: ShownCertificate, signal: AbortSignal): Promise<Holder | undefined> {
    const { authorities, fleetletByUid } = this.#deps;
    const certificate = this.#certificateBy(shown, await authorities.all(signal));
    const fleetlet = certificate && (await fleetletByUid(certificate.fleetlet, signal));
    return certificate && fleetlet && { certificate, fleetlet };
  }

  /** The certificate has no known holder: find the reason. */
  async #stranger(shown: ShownCertificate, signal: AbortSignal): Promise<Refused> {
    const read = shown.read();
    if (read === undefined) return NO_CERTIFICATE;
    const certificate = fleetletCertificate(read, await this.#deps.authorities.all(signal));
    if (certificate !== undefined) return isRevoked('deleted');
    return refused(
      'This certificate was not issued by an authority of this platform. Enrol here with a bootstrap token, or connect to the platform that issued it.',
    );
  }

  async #standing(
    { certificate, fleetlet }: Holder,
    takes: readonly CertificateStanding[],
    signal: AbortSignal,
  ): Promise<Judged> {
    const { authorities, limits, clock } = this.#deps;
    const now = clock.now();
    if (fleetlet.state === 'Revoked') return isRevoked('revoked');
    const all = (await authorities.all(signal)).map(({ authority }) => authority);
    const by = all.find(({ uid }) => uid === certificate.authority.uid) ?? certificate.authority;
    const state = authorityState(by, all, now);
    if (state === 'Retired') {
      return refused('The authority of this certificate is retired. Enrol again with a bootstrap token.');
    }
    const standing = certificateStanding(certificate, { now, graceMs: limits.graceMs });
    if (!takes.includes(standing)) return refused(sentenceOf(standing, certificate, { now, graceMs: limits.graceMs }));
    const { serial, notAfter } = certificate;
    const { uid, name } = fleetlet;
    const inUse = newestOf(fleetlet.inUse, this.#inUse.get(uid));
    const order = succession(certificate, inUse);
    if (order === 'superseded') return IS_SUPERSEDED;
    const notBefore = inUse?.serial === serial ? inUse.notBefore : certificate.notBefore;
    const known = { kind: 'known', fleetlet: uid, name, serial, notBefore, notAfter } as const;
    return { ...known, renewSoon: state !== 'Issuing', succession: order };
  }

  /** Once per certificate. The cached holder is not read again for it, so the result is cached beside it. */
  async #use({ fleetlet, serial, notBefore }: Known, signal: AbortSignal): Promise<CertificateMark | undefined> {
    const inUse = await this.#deps.use(fleetlet, { serial, notBefore }, signal);
    if (this.#inUse.size >= REMEMBERED) {
      this.#inUse.clear();
      this.#holders.clear();
    }
    if (inUse !== undefined) this.#inUse.set(fleetlet, inUse);
    return inUse;
  }
}

/** Another process may have written a newer one, or this process one that is newer than the one read. */
function newestOf(
  read: CertificateMark | undefined,
  written: CertificateMark | undefined,
): CertificateMark | undefined {
  return (written?.notBefore ?? 0) > (read?.notBefore ?? 0) ? written : read;
}

function sentenceOf(
  standing: CertificateStanding,
  { notBefore, notAfter }: FleetletCertificate,
  { now, graceMs }: { readonly now: number; readonly graceMs: number },
): string {
  const at = (ms: number): string => new Date(ms).toISOString();
  if (standing === 'notYet') {
    return `This certificate is valid from ${at(notBefore)} on, and the time here is ${at(now)}. Correct the clock that is wrong.`;
  }
  const expired = `This certificate expired on ${at(notAfter)}, and the time here is ${at(now)}.`;
  if (standing === 'gone') return `${expired} Enrol again with a bootstrap token.`;
  return `${expired} It can be renewed until ${at(notAfter + graceMs)}.`;
}

function isRevoked(how: 'revoked' | 'deleted'): Refused {
  const message = `This fleetlet was ${how}. To use it again, enrol it with a new bootstrap token.`;
  return { kind: 'refused', reason: 'revoked', message };
}

function refused(message: string): Refused {
  return { kind: 'refused', reason: 'unauthenticated', message };
}

const IS_SUPERSEDED: Refused = { kind: 'refused', reason: 'superseded', message: SUPERSEDED };
const NO_CERTIFICATE = refused('This is not a certificate.');

function fingerprintOf(der: Uint8Array): string {
  return hash('sha256', der, 'hex');
}

function x509Of(der: Uint8Array): X509Certificate | undefined {
  try {
    return new X509Certificate(der);
  } catch {
    return undefined;
  }
}
