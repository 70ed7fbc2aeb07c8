import type { CloseReason } from './frame.ts';

/** Of a target; only whoever registered it sends and gets what is about it. */
const TARGET_CHANNELS: ReadonlySet<string> = new Set(['delivery', 'status', 'index']);

/** A local process: what its connection proves, and what it calls itself. All that have both in common are replicas. */
export interface LocalPrincipal {
  /** `unix:<socket>`, `token:<name>`, `serviceaccount:<namespace>:<name>`. */
  readonly identity: string;
  readonly process: string;
}

/** In messages, in logs, and to compare. */
export function principalName({ identity, process }: LocalPrincipal): string {
  return process === '' ? identity : `${identity}/${process}`;
}

/** Who may open a channel. Without a rule for it everybody may whom the fleetlet knows. */
export interface ChannelRule {
  /** A name, or the beginning of one and `*`. */
  readonly channel: string;
  /** Identities, or whole names of principals; `*` at the end stands for any. */
  readonly allowed: readonly string[];
}

export interface WantedChannel {
  readonly channel: string;
  /** Empty when its messages name theirs. */
  readonly target: string;
}

/** The name of the principal that registered a target, if one did. */
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

/** `unclaimed`: nobody has registered it yet, as just after a start; whoever sends it may be about to. */
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
