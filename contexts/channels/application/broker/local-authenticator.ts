import type { LinkPeer } from '../link.ts';

export type LocalIdentity =
  /** `unix:<socket>`, `token:<name>`, `serviceaccount:<namespace>:<name>`. */
  | { readonly kind: 'known'; readonly identity: string }
  /** With a sentence for whoever wrote the local process. */
  | { readonly kind: 'unknown'; readonly message: string };

/** Who is at the other end of a local connection? Asked for each stream. A throw is a doubt, and lets nobody in. */
export interface LocalAuthenticator {
  /** What it knows can be taken from it while streams are open: they are asked about again now and then. */
  readonly mayForget?: true;
  identify(peer: LinkPeer, signal: AbortSignal): Promise<LocalIdentity>;
}
