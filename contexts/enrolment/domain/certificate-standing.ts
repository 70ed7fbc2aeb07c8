/** The standing of a certificate at a given time. */
export type CertificateStanding = 'notYet' | 'valid' | 'renewable' | 'gone';

export interface Validity {
  readonly notBefore: number;
  readonly notAfter: number;
}

/** The part of a certificate that orders it among those of the same fleetlet. */
export interface CertificateMark {
  readonly serial: string;
  readonly notBefore: number;
}

/**
 * How a certificate relates to the one in use by the same fleetlet. The order is in the certificates themselves, so a
 * database restored from a backup accepts a newer certificate that it does not know.
 */
export type Succession = 'inUse' | 'newer' | 'superseded';

/** Of two with the same `notBefore`, the one used first wins. If none is known to be in use, any is accepted. */
export function succession(shown: CertificateMark, inUse: CertificateMark | undefined): Succession {
  if (inUse === undefined || shown.serial === inUse.serial) return 'inUse';
  return shown.notBefore > inUse.notBefore ? 'newer' : 'superseded';
}

/**
 * Also supersedes every other certificate issued so far, even with a later `notBefore`: a thief with a copy of the old
 * key may have obtained one.
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
 * The `notBefore` of a new certificate, in whole seconds as in X.509. It is later than those that it replaces, and not
 * earlier than the last one issued, so that the order holds whichever process and clock issued the others.
 */
export function beginAfter(
  earliest: number,
  { replaced = [], issued }: { readonly replaced?: readonly Mark[]; readonly issued?: Mark },
): number {
  const after = replaced.flatMap((mark) => (mark === undefined ? [] : [mark.notBefore + SECOND_MS]));
  return Math.floor(Math.max(earliest, issued?.notBefore ?? 0, ...after) / SECOND_MS) * SECOND_MS;
}

/** `renewable`: no longer accepted for connections, but can still be renewed. */
export function certificateStanding(
  { notBefore, notAfter }: Validity,
  { now, graceMs }: { readonly now: number; readonly graceMs: number },
): CertificateStanding {
  if (now < notBefore) return 'notYet';
  if (now < notAfter) return 'valid';
  return now < notAfter + graceMs ? 'renewable' : 'gone';
}
