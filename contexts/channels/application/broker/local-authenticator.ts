import type { LinkPeer } from '../link.ts';

export type LocalIdentity =
  /** `unix:<socket>`, `token:<name>`, `serviceaccount:<namespace>:<name>`. */
  | { readonly kind: 'known'; readonly identity: string }
  /** `message` is for the author of the local process. */
  | { readonly kind: 'unknown'; readonly message: string };

/** Authenticates the peer of a local connection, for each stream. An error refuses the stream. */
export interface LocalAuthenticator {
  /** Credentials may be withdrawn while streams are open, so they are checked again periodically. */
  readonly mayForget?: true;
  identify(peer: LinkPeer, signal: AbortSignal): Promise<LocalIdentity>;
}
