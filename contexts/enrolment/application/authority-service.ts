import {
  type CertificateAuthority,
  type CertificateLimits,
  planRotation,
  type RotationRequest,
  type RotationTimes,
} from '../domain/authority.ts';
import type { UnitOfWork } from './ports.ts';

/** A key and its certificate, not published yet. */
export type MadeAuthority = Omit<CertificateAuthority, 'issueFrom' | 'retireTime'>;

/** The first authority of an instance; `undefined` when one exists already, as when two processes start at once. */
export async function foundAuthority(
  unit: UnitOfWork,
  { made, now }: { readonly made: MadeAuthority; readonly now: number },
  signal: AbortSignal,
): Promise<CertificateAuthority | undefined> {
  if ((await unit.authorities.list(signal)).length > 0) return undefined;
  return await keep(unit, { ...made, issueFrom: now, retireTime: undefined }, now, signal);
}

export interface RotateAuthority {
  readonly made: MadeAuthority;
  readonly request: RotationRequest;
  readonly limits: CertificateLimits;
  readonly now: number;
}

/**
 * The new authority begins to issue after its lead; all others retire after the overlap, unless they retire earlier.
 */
export async function rotateAuthority(
  unit: UnitOfWork,
  { made, request, limits, now }: RotateAuthority,
  signal: AbortSignal,
): Promise<CertificateAuthority> {
  const all = await unit.authorities.list(signal);
  const times: RotationTimes = planRotation(all, request, { now, limits });
  for (const { uid, retireTime } of all) {
    if (retireTime === undefined || retireTime > times.retireTime) {
      await unit.authorities.retire(uid, times.retireTime, signal);
    }
  }
  return await keep(unit, { ...made, issueFrom: times.issueFrom, retireTime: undefined }, now, signal);
}

async function keep(
  unit: UnitOfWork,
  authority: CertificateAuthority,
  now: number,
  signal: AbortSignal,
): Promise<CertificateAuthority> {
  await unit.authorities.insert(authority, signal);
  const event = { type: 'certificateAuthority.created', subject: { kind: 'authority', authority } } as const;
  await unit.events.append([event], now, signal);
  return authority;
}
