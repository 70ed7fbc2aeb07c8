/** How a certificate stands at some time. */
export type CertificateStanding = 'notYet' | 'valid' | 'renewable' | 'gone';

export interface Validity {
  readonly notBefore: number;
  readonly notAfter: number;
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
