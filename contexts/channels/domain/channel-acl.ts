import type { CloseReason } from './frame.ts';

/** Channels whose messages belong to a target. Only the process that registered the target sends and receives on them. */
const TARGET_CHANNELS: ReadonlySet<string> = new Set(['delivery', 'status', 'index']);

/**
 * A local process: the identity its connection proves, and the name it gives itself. Processes with the same identity and name
 * are replicas.
 */
export interface LocalPrincipal {
  /** `unix:<socket>`, `token:<name>`, `serviceaccount:<namespace>:<name>`. */
  readonly identity: string;
  readonly process: string;
}

/** The name used in messages and logs, and to compare principals. */
export function principalName({ identity, process }: LocalPrincipal): string {
  return process === '' ? identity : `${identity}/${process}`;
}

/** Restricts who may open a channel. A channel without a rule is open to every authenticated local process. */
export interface ChannelRule {
  /** A channel name, or a prefix followed by `*`. */
  readonly channel: string;
  /** Identities, or full principal names; a trailing `*` matches any suffix. */
  readonly allowed: readonly string[];
}

export interface WantedChannel {
  readonly channel: string;
  /** Empty when each message names its own target. */
  readonly target: string;
}

/** The name of the principal that registered a target, if any. */
export type OwnerOf = (target: string) => string | undefined;

export type AclVerdict =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'refused'; readonly reason: CloseReason; readonly message: string };

export function mayOpen(
  wanted: WantedChannel,
  who: LocalPrincipal,
  { rules, ownerOf }: { readonly rules: readonly ChannelRule[]; readonly ownerOf: OwnerOf },
): AclVerdict {
  const { channel, target } = wanted;
  const name = principalName(who);
  const known = rules.filter((rule) => matches(rule.channel, channel));
  const isAllowed = ({ allowed }: ChannelRule): boolean =>
    allowed.some((pattern) => matches(pattern, who.identity) || matches(pattern, name));
  if (!known.every(isAllowed)) {
    return refused('forbidden', `${name} may not open the channel ${channel}: --allow names who may`);
  }
  if (target === '') return { kind: 'allowed' };
  const owner = ownerOf(target);
  if (owner === undefined) {
    return refused('unknownTarget', `no local process has registered the target ${target}; register it first`);
  }
  if (owner !== name) return refused('forbidden', `the target ${target} was registered by another process`);
  return { kind: 'allowed' };
}

/** `unclaimed`: no process has registered the target yet, as happens just after a start; the sender may be about to. */
export type SendVerdict = 'allowed' | 'refused' | 'unclaimed';

export function maySend(wanted: WantedChannel, who: LocalPrincipal, ownerOf: OwnerOf): SendVerdict {
  const { channel, target } = wanted;
  if (target === '') return TARGET_CHANNELS.has(channel) ? 'refused' : 'allowed';
  const owner = ownerOf(target);
  if (owner === undefined) return 'unclaimed';
  return owner === principalName(who) ? 'allowed' : 'refused';
}

function matches(pattern: string, text: string): boolean {
  return pattern.endsWith('*') ? text.startsWith(pattern.slice(0, -1)) : text === pattern;
}

function refused(reason: CloseReason, message: string): AclVerdict {
  return { kind: 'refused', reason, message };
}
