import { type ResourceName, type SecretSource, timingSafeEqualText, type Uuid } from '#kit/std';
import type { CertificateLimits } from '../domain/authority.ts';
import { type BootstrapToken, CORRELATION_LABEL, checkUsable } from '../domain/bootstrap-token.ts';
import { beginAfter, type CertificateMark, inUseFrom, succession } from '../domain/certificate-standing.ts';
import { type ClaimedTarget, claimTarget } from '../domain/claim-target.ts';
import { EnrolmentError, invalid } from '../domain/enrolment-error.ts';
import { type Fleetlet, type IssuedCertificate, isLive, newFleetlet, withCertificate } from '../domain/fleetlet.ts';
import { distinctName, preferredName } from '../domain/fleetlet-names.ts';
import { parseBootstrapToken } from '../domain/token-text.ts';
import type { Binding, CertificateSigner, FoundTarget, ProvenKey, UnitOfWork } from './ports.ts';

export interface EnrolServiceDeps {
  readonly newUid: () => Uuid;
  readonly secrets: SecretSource;
  readonly limits: CertificateLimits;
}

export interface Enrol {
  readonly token: string;
  readonly key: ProvenKey;
  readonly targets: readonly ClaimedTarget[];
  readonly signer: CertificateSigner;
  readonly now: number;
}

export interface Renew {
  readonly fleetlet: string;
  /** The certificate that the renewal was requested with. */
  readonly shown: CertificateMark;
  readonly key: ProvenKey;
  readonly signer: CertificateSigner;
  readonly now: number;
}

export interface Enrolled {
  readonly fleetlet: Fleetlet;
  readonly targets: readonly Binding[];
  /** PEM. */
  readonly certificate: string;
  /** The fleetlet enrolled a moment ago, and did not receive the response. */
  readonly isRepeated: boolean;
}

/** So that machines whose clock is behind accept it. */
const BACKDATED_MS = 300_000;
const REPEATED_WITHIN_MS = 600_000;

/** Issues the first certificate of a machine, and renews it. */
export class EnrolService {
  readonly #deps: EnrolServiceDeps;

  constructor(deps: EnrolServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Counts the use, registers or takes over the targets, and creates the fleetlet, atomically. The same token, key and
   * targets within ten minutes mean that the response was lost: it is sent again, and no use is counted.
   */
  async enrol(unit: UnitOfWork, command: Enrol, signal: AbortSignal): Promise<Enrolled> {
    const { now, key, targets } = command;
    checkDistinct(targets);
    const token = await this.#recognise(unit, command.token, signal);
    const before = await unit.fleetlets.findByOrigin(token.id, key.hash, signal);
    if (before !== undefined && now < before.createTime + REPEATED_WITHIN_MS && before.state === 'Active') {
      const bound = await unit.bindings.targetsOf(before.uid, signal);
      if (isSame(bound, targets)) return await this.#certify(unit, { ...command, fleetlet: before, bound }, signal);
    }
    checkUsable(token, now);
    await unit.tokens.countUse(token.id, signal);
    const used = { ...token, used: token.used + 1 };
    await unit.events.append([{ type: 'bootstrapToken.used', subject: { kind: 'token', token: used } }], now, signal);
    return await this.#found(unit, { ...command, bootstrap: token }, signal);
  }

  /**
   * The caller has checked the certificate, and that it can be renewed. The request is itself a use of the certificate.
   * The new certificate is not in use until it is presented: the response may be lost, and until then the old one stays
   * valid.
   */
  async renew(unit: UnitOfWork, command: Renew, signal: AbortSignal): Promise<Enrolled> {
    const { shown } = command;
    const fleetlet = await useCertificate(unit, command, signal);
    if (fleetlet === undefined || fleetlet.state === 'Revoked') throw revokedMeanwhile();
    if (succession(shown, fleetlet.inUse) === 'superseded') throw superseded();
    const bound = await unit.bindings.targetsOf(fleetlet.uid, signal);
    return await this.#certify(unit, { ...command, fleetlet, bound }, signal);
  }

  async #recognise(unit: UnitOfWork, text: string, signal: AbortSignal): Promise<BootstrapToken> {
    const parts = parseBootstrapToken(text);
    const token = parts && (await unit.tokens.findById(parts.id, signal));
    if (!parts || !token || !timingSafeEqualText(this.#deps.secrets.hash(parts.secret), token.hash)) {
      throw new EnrolmentError(
        'BOOTSTRAP_TOKEN_REFUSED',
        'This is not a bootstrap token of this platform, or it was revoked. Ask for a new one.',
      );
    }
    return token;
  }

  async #found(
    unit: UnitOfWork,
    command: Enrol & { readonly bootstrap: BootstrapToken },
    signal: AbortSignal,
  ): Promise<Enrolled> {
    const { bootstrap, key, now } = command;
    const uid = this.#deps.newUid();
    const name = await freeName(unit, preferredName(command.targets), uid, signal);
    const { pem, certificate } = this.#sign(command, uid);
    const origin = { token: bootstrap.id, keyHash: key.hash };
    const fleetlet = newFleetlet({ uid, name, workspace: bootstrap.workspace, origin, certificate }, now);
    await unit.fleetlets.insert(fleetlet, signal);
    const targets: Binding[] = [];
    for (const claimed of command.targets) {
      const { uid: target, name } = await this.#claim(unit, { bootstrap, claimed, now }, signal);
      await unit.bindings.bind(uid, { uid: target, name }, signal);
      targets.push({ uid: target, name });
    }
    await unit.events.append(
      [{ type: 'fleetlet.created', subject: { kind: 'fleetlet', fleetlet, targets } }],
      now,
      signal,
    );
    return { fleetlet, targets, certificate: pem, isRepeated: false };
  }

  async #claim(
    unit: UnitOfWork,
    { bootstrap, claimed, now }: { bootstrap: BootstrapToken; claimed: ClaimedTarget; now: number },
    signal: AbortSignal,
  ): Promise<FoundTarget> {
    const found = await unit.targets.find(claimed.name, signal);
    const serving = found === undefined ? [] : await unit.bindings.fleetletsOf(found.uid, signal);
    const { graceMs } = this.#deps.limits;
    const isServed = serving.some((fleetlet) => isLive(fleetlet, { now, graceMs }));
    const claim = claimTarget(bootstrap, claimed, found && { ...found, isServed });
    const { correlation, workspace } = bootstrap;
    const labels: Record<string, string> = correlation === undefined ? {} : { [CORRELATION_LABEL]: correlation };
    if (claim.kind === 'create' || found === undefined) {
      return await unit.targets.register({ ...claimed, workspace: workspace.name, labels }, now, signal);
    }
    if (correlation !== undefined) await unit.targets.label(claimed.name, labels, now, signal);
    return found;
  }

  async #certify(
    unit: UnitOfWork,
    command: Pick<Enrol, 'key' | 'signer' | 'now'> & {
      readonly fleetlet: Fleetlet;
      readonly bound: readonly Binding[];
      readonly shown?: CertificateMark;
    },
    signal: AbortSignal,
  ): Promise<Enrolled> {
    const { fleetlet: before, shown, key } = command;
    const { pem, certificate } = this.#sign(command, before.uid, {
      replaced: [before.inUse, shown],
      issued: before.certificate,
    });
    const fleetlet = withCertificate(before, { certificate, keyHash: key.hash }, command.now);
    await unit.fleetlets.replace(fleetlet, signal);
    return { fleetlet, targets: command.bound, certificate: pem, isRepeated: true };
  }

  #sign(
    { signer, key, now }: Pick<Enrol, 'key' | 'signer' | 'now'>,
    fleetlet: Uuid,
    others: Parameters<typeof beginAfter>[1] = {},
  ): { readonly pem: string; readonly certificate: IssuedCertificate } {
    const { authority } = signer;
    const notBefore = beginAfter(now - BACKDATED_MS, others);
    const notAfter = Math.min(now + this.#deps.limits.ttlMs, authority.notAfter);
    const { pem, serial } = signer.sign({ fleetlet, key, notBefore, notAfter });
    return { pem, certificate: { serial, authority: authority.uid, notBefore, notAfter } };
  }
}

/**
 * Marks the certificate as in use; earlier ones are refused from then on. Writes only when another one was in use.
 * Returns the current fleetlet.
 */
export async function useCertificate(
  unit: UnitOfWork,
  { fleetlet: uid, shown }: Pick<Renew, 'fleetlet' | 'shown'>,
  signal: AbortSignal,
): Promise<Fleetlet | undefined> {
  const fleetlet = await unit.fleetlets.findByUid(uid, signal);
  if (fleetlet === undefined) return undefined;
  const isUnknown = fleetlet.inUse === undefined;
  if (!isUnknown && succession(shown, fleetlet.inUse) !== 'newer') return fleetlet;
  const inUse = inUseFrom(shown, fleetlet.certificate);
  await unit.fleetlets.setInUse(uid, inUse, signal);
  return { ...fleetlet, inUse };
}

export function superseded(): EnrolmentError {
  return new EnrolmentError('CERTIFICATE_SUPERSEDED', SUPERSEDED);
}

export const SUPERSEDED =
  'A newer certificate of this fleetlet is in use, so this one is refused. Start the fleetlet with its newest key and certificate, or enrol it again with a bootstrap token. If this is unexpected, its key may have been copied: revoke the fleetlet.';

export function revokedMeanwhile(): EnrolmentError {
  return new EnrolmentError(
    'FLEETLET_REVOKED',
    'This fleetlet was revoked. To use it again, enrol it with a new bootstrap token.',
  );
}

function checkDistinct(targets: readonly ClaimedTarget[]): void {
  const names = targets.map(({ name }) => name);
  const twice = names.findIndex((name, index) => names.indexOf(name) !== index);
  if (twice !== -1) throw invalid('INVALID_ENROLMENT', [{ path: `/targets/${twice}/name`, message: 'is a duplicate' }]);
}

function isSame(bound: readonly Binding[], targets: readonly ClaimedTarget[]): boolean {
  const names = new Set(bound.map(({ name }) => name));
  return names.size === targets.length && targets.every(({ name }) => names.has(name));
}

async function freeName(
  unit: UnitOfWork,
  preferred: ResourceName,
  uid: Uuid,
  signal: AbortSignal,
): Promise<ResourceName> {
  return (await unit.fleetlets.find(preferred, signal)) === undefined ? preferred : distinctName(preferred, uid);
}
