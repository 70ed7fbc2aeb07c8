import type { Secret } from '#kit/std';
import type { Vault } from '../application/ports.ts';

interface SealedPlace {
  readonly table: string;
  readonly row: readonly string[];
  readonly column: string;
}

export interface Sealer {
  seal(secret: Secret<string>, place: SealedPlace, signal: AbortSignal): Promise<string>;
  open(sealed: string, place: SealedPlace, signal: AbortSignal): Promise<Secret<string>>;
}

export function sealedVault(sealer: Sealer): Vault {
  return {
    seal: (target, text, signal) => sealer.seal(text, placeOf(target), signal),
    open: ({ target, sealed }, signal) => sealer.open(sealed, placeOf(target.uid), signal),
  };
}

/** The row that the text is sealed for; it can be opened only there. */
function placeOf(target: string): SealedPlace {
  return { table: 'proxied_clusters', row: [target], column: 'sealed_kubeconfig' };
}
