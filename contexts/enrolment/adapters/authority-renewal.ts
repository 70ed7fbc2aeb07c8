import type { Clock, Sleep, Uuid } from '#kit/std';
import type { Storage, Transaction } from '#kit/storage';
import { rotateAuthority } from '../application/authority-service.ts';
import type { UnitOfWork } from '../application/ports.ts';
import { type CertificateLimits, needsSuccessor } from '../domain/authority.ts';
import type { EnrolmentLog } from './enrolment-log.ts';
import type { CertificateAuthorities } from './pki/certificate-authorities.ts';

export interface AuthorityRenewalDeps {
  readonly storage: Storage;
  readonly unit: (tx: Transaction) => UnitOfWork;
  readonly authorities: CertificateAuthorities;
  readonly limits: CertificateLimits;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly changed: () => void;
  readonly log: EnrolmentLog;
}

const EVERY_MS = 6 * 3_600_000;

/** Creates a successor for an authority well before it expires, until the signal aborts. */
export async function runAuthorityRenewal(deps: AuthorityRenewalDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const made = await succeed(deps, signal);
      if (made !== undefined) deps.changed();
    } catch (err) {
      if (!signal.aborted) deps.log.warn({ err }, 'successor of the fleetlet authority not created; retrying');
    }
    await deps.sleep(EVERY_MS, signal).catch(() => {});
  }
}

/** Checks again in the transaction: another process may have been faster. */
async function succeed(deps: AuthorityRenewalDeps, signal: AbortSignal): Promise<Uuid | undefined> {
  const { storage, unit, authorities, limits, clock } = deps;
  const known = (await authorities.all(signal)).map(({ authority }) => authority);
  if (!needsSuccessor(known, clock.now())) return undefined;
  const made = await authorities.make(signal);
  return await storage.write(async (tx) => {
    const now = clock.now();
    if (!needsSuccessor(await unit(tx).authorities.list(signal), now)) return undefined;
    return (await rotateAuthority(unit(tx), { made, request: {}, limits, now }, signal)).uid;
  }, signal);
}
