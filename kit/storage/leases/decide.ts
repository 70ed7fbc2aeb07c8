/** A row of `leases`. */
export interface Lease {
  readonly role: string;
  readonly epoch: number;
  /** `undefined` if it was released. */
  readonly holder: string | undefined;
}

/** A row of `lease_holders`, as far as decisions need it. */
export interface Holder {
  readonly id: string;
  readonly beat: number;
  /** Groups of roles that the process would lead. */
  readonly standsFor: readonly string[];
}

export interface Seen {
  readonly leases: readonly Lease[];
  readonly holders: readonly Holder[];
}

/** What a process remembers from one look at the tables to the next. All times are its own, monotonic. */
export interface Watch {
  /** The last heartbeat of each other process, since when it has stood still, and since when it lives without a pause. */
  readonly beats: ReadonlyMap<string, { readonly beat: number; readonly since: number; readonly aliveSince: number }>;
  /** Roles without a live holder, and since when. */
  readonly freeSince: ReadonlyMap<string, number>;
}

export const NOTHING_SEEN: Watch = { beats: new Map(), freeSince: new Map() };

export interface Observer {
  readonly me: string;
  /** Measured before the tables were read: a process that was stopped in between has not seen others stand still. */
  readonly now: number;
  readonly leaseMs: number;
  /** The roles this process stands for: one that has never been led has no row. */
  readonly roles: readonly string[];
}

/** Whether the heartbeat of the process has moved within the last lease period, or was first seen within it. */
export function isAlive(watch: Watch, id: string, { now, leaseMs }: Pick<Observer, 'now' | 'leaseMs'>): boolean {
  const seen = watch.beats.get(id);
  return seen !== undefined && now - seen.since < leaseMs;
}

/**
 * DECISION: a process judges the others by its own monotonic clock, by how long it has seen their heartbeats stand still.
 * No time of another machine is compared, so neither skew nor a clock that jumps takes a lease or keeps one. (ADR-0062)
 */
export function observe(watch: Watch, { leases, holders }: Seen, observer: Observer): Watch {
  const { me, now, leaseMs, roles } = observer;
  const beats = new Map(
    holders
      .filter(({ id }) => id !== me)
      .map(({ id, beat }) => {
        const known = watch.beats.get(id);
        if (known?.beat === beat) return [id, known] as const;
        const isSteady = known !== undefined && now - known.since < leaseMs;
        return [id, { beat, since: now, aliveSince: isSteady ? known.aliveSince : now }] as const;
      }),
  );
  const next = { beats, freeSince: new Map<string, number>() };
  const byRole = new Map(leases.map((lease) => [lease.role, lease]));
  for (const role of new Set([...byRole.keys(), ...roles])) {
    const holder = byRole.get(role)?.holder;
    if (holder === me || (holder !== undefined && isAlive(next, holder, observer))) continue;
    next.freeSince.set(role, watch.freeSince.get(role) ?? now);
  }
  return next;
}

/** What this process does in a role that it stands for. */
export type Standing = 'idle' | 'leading' | 'ending';

export interface Pace {
  readonly leaseMs: number;
  /** For each role of the group that this process has, it leaves a free one to others for that much longer. */
  readonly claimDelayMs: number;
  /** A role is given up to a process that has fewer at most this often. */
  readonly yieldEveryMs: number;
}

export interface Situation extends Omit<Observer, 'roles' | 'leaseMs'> {
  readonly seen: Seen;
  readonly watch: Watch;
  readonly standing: ReadonlyMap<string, Standing>;
  readonly lastYield: number;
  /** Roles that this process gave up for the sake of others, and until when it leaves them. */
  readonly leftUntil: ReadonlyMap<string, number>;
  readonly pace: Pace;
}

export interface Decision {
  /** Roles to claim, with what was seen of them. */
  readonly claim: readonly { readonly role: string; readonly seen: Lease | undefined }[];
  /** Roles that this process holds and no longer works in. */
  readonly release: readonly string[];
  /** A role whose work is to end, since another process has fewer. */
  readonly yield: string | undefined;
  /** When to decide again, unless something happens before. */
  readonly againInMs: number | undefined;
}

/** `proxied-clusters/3` is of the group `proxied-clusters`; a role without a number is a group of its own. */
export function groupOf(role: string): string {
  return role.split('/', 1)[0] ?? role;
}

/** When to claim, to release and to yield. Renewing is one heartbeat for all roles, and needs no decision. */
export function decide(situation: Situation): Decision {
  const { me, seen, standing } = situation;
  const isOver = (role: string): boolean =>
    standing.get(role) === undefined || (standing.get(role) === 'idle' && isLeft(situation, role));
  const release = seen.leases.filter(({ role, holder }) => holder === me && isOver(role)).map(({ role }) => role);
  return { release, yield: roleToYield(situation), ...claims(situation) };
}

/** This process has given it up for the sake of another. */
function isLeft({ leftUntil, now }: Situation, role: string): boolean {
  return (leftUntil.get(role) ?? now) > now;
}

function claims(situation: Situation): Pick<Decision, 'claim' | 'againInMs'> {
  const { me, now, seen, watch, standing, leftUntil, pace } = situation;
  const byRole = new Map(seen.leases.map((lease) => [lease.role, lease]));
  const held = heldBy(situation, me);
  const claim: { role: string; seen: Lease | undefined }[] = [];
  let again: number | undefined;
  for (const role of inOrderOf(me, standing.keys())) {
    if (standing.get(role) !== 'idle') continue;
    const lease = byRole.get(role);
    const group = groupOf(role);
    const had = held.get(group) ?? 0;
    const isOurs = lease?.holder === me && !isLeft(situation, role);
    const freeSince = watch.freeSince.get(role);
    if (!isOurs && freeSince === undefined) continue;
    const delay = isOurs || rivals(situation, group).length === 0 ? 0 : had * pace.claimDelayMs;
    const due = isOurs ? now : Math.max((freeSince ?? now) + delay, leftUntil.get(role) ?? Number.NEGATIVE_INFINITY);
    if (due > now) again = Math.min(again ?? Number.POSITIVE_INFINITY, due - now);
    else {
      claim.push({ role, seen: lease });
      if (!isOurs) held.set(group, had + 1);
    }
  }
  return { claim, againInMs: again };
}

/** Other live processes that would lead in this group. */
function rivals({ me, now, seen, watch, pace }: Situation, group: string): readonly Holder[] {
  return seen.holders.filter(
    ({ id, standsFor }) => id !== me && standsFor.includes(group) && isAlive(watch, id, { now, leaseMs: pace.leaseMs }),
  );
}

/**
 * One role of a group in which another process has at least two fewer, and has lived for a while: one that was stopped and
 * continues may still say that it stands for roles that it has just given up.
 */
function roleToYield(situation: Situation): string | undefined {
  const { me, now, standing, watch, lastYield, pace } = situation;
  if (now - lastYield < pace.yieldEveryMs) return undefined;
  const mine = heldBy(situation, me);
  for (const [group, count] of mine) {
    const isSteady = ({ id }: Holder): boolean => now - (watch.beats.get(id)?.aliveSince ?? now) >= pace.leaseMs;
    const steady = rivals(situation, group).filter(isSteady);
    const least = Math.min(...steady.map(({ id }) => heldBy(situation, id).get(group) ?? 0));
    if (count - least < 2) continue;
    const role = inOrderOf(me, standing.keys()).findLast(
      (each) => groupOf(each) === group && standing.get(each) === 'leading',
    );
    if (role !== undefined) return role;
  }
  return undefined;
}

/** How many roles of each group a process has. */
function heldBy({ seen }: Situation, id: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { role, holder } of seen.leases) {
    if (holder === id) counts.set(groupOf(role), (counts.get(groupOf(role)) ?? 0) + 1);
  }
  return counts;
}

/** Each process begins with another role, so that two that start together rarely claim the same one. */
function inOrderOf(me: string, roles: Iterable<string>): string[] {
  const rank = (role: string): number => {
    let hash = 0x811c9dc5;
    for (const char of `${me} ${role}`) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0;
    return hash;
  };
  return [...roles]
    .map((role) => ({ role, at: rank(role) }))
    .sort((a, b) => a.at - b.at)
    .map(({ role }) => role);
}
