/** How a certificate stands at some time. */
export type CertificateStanding = 'notYet' | 'valid' | 'renewable' | 'gone';

export interface Validity {
  readonly notBefore: number;
  readonly notAfter: number;
}

/** Enough of a certificate to order it among those of the same fleetlet. */
export interface CertificateMark {
  readonly serial: string;
  readonly notBefore: number;
}

/**
 * How a certificate relates to the one of the same fleetlet that is in use. The certificate itself says which is newer, so a
 * database that was restored from a backup takes the newer one that it has never heard of.
 */
export type Succession = 'inUse' | 'newer' | 'superseded';

/** Of two that begin at the same second, the one that is used first counts. Where none is known to be in use, each may be. */
export function succession(shown: CertificateMark, inUse: CertificateMark | undefined): Succession {
  if (inUse === undefined || shown.serial === inUse.serial) return 'inUse';
  return shown.notBefore > inUse.notBefore ? 'newer' : 'superseded';
}

/**
 * Of those that were issued up to its first use, the one that was used counts alone: a thief with a copy of the key before may
 * have been issued a later one.
 */
export function inUseFrom(
  { serial, notBefore }: CertificateMark,
  issued: CertificateMark | undefined,
): CertificateMark {
  return { serial, notBefore: Math.max(notBefore, issued?.notBefore ?? 0) };
}

const SECOND_MS = 1_000;

type Mark = CertificateMark | undefined;

/**
 * When a new certificate begins: in whole seconds, as certificates have it; after those that it is to replace, and not before the
 * last that was issued, so that this one is never older than others, whichever process with whichever clock issued them.
 */
export function beginAfter(
  earliest: number,
  { replaced = [], issued }: { readonly replaced?: readonly Mark[]; readonly issued?: Mark },
): number {
  const after = replaced.flatMap((mark) => (mark === undefined ? [] : [mark.notBefore + SECOND_MS]));
  return Math.floor(Math.max(earliest, issued?.notBefore ?? 0, ...after) / SECOND_MS) * SECOND_MS;
}

/** `renewable`: it lets nobody in any more, and can still be exchanged for a new one. */
export function certificateStanding(
  { notBefore, notAfter }: Validity,
  { now, graceMs }: { readonly now: number; readonly graceMs: number },
): CertificateStanding {
  if (now < notBefore) return 'notYet';
  if (now < notAfter) return 'valid';
  return now < notAfter + graceMs ? 'renewable' : 'gone';
}
