import type { AuditEntry } from './audit-entry.ts';

/** What was refused, before it has an id and before anybody looked where in the tree it belongs. */
export interface Refusal extends Omit<AuditEntry, 'id' | 'scope' | 'lastTime' | 'count'> {
  /** What the request named, to find its place in the tree by. */
  readonly params: Readonly<Record<string, string>>;
}

export interface CountedRefusal extends Refusal {
  readonly lastTime: number;
  readonly count: number;
}

export const WINDOW_MS = 60_000;

/** Different refusals that a window keeps apart, by whether the caller is known. */
const KNOWN = 100;
const UNKNOWN = 20;

/**
 * Makes entries of refusals, few enough that no flood of them fills a disk.
 *
 * DECISION: the first of its kind within a minute becomes an entry at once, the others become one more entry with their
 * count when the minute is over. Of callers that are known a kind is who, what and on what; of those that are not it is
 * the network they come from, as everything else is theirs to choose. Beyond 100 kinds of the one and 20 of the other,
 * what remains is one kind for each outcome. So no refusal goes uncounted, and a process writes at most 246 entries a
 * minute, whatever is thrown at it. (ADR-0027)
 */
export class RefusalWindow {
  #until = 0;
  #kinds = new Map<string, CountedRefusal | undefined>();
  #known = 0;
  #unknown = 0;

  /** What is to be written now. */
  take(refusal: Refusal, now: number): CountedRefusal[] {
    const closed = this.close(now);
    if (this.#kinds.size === 0) this.#until = now + WINDOW_MS;
    const { kind, kept } = this.#place(refusal);
    const isFirst = !this.#kinds.has(kind);
    this.#kinds.set(kind, isFirst ? undefined : more(this.#kinds.get(kind), kept));
    return isFirst ? [...closed, counted(kept)] : closed;
  }

  /** What was counted in a window that is over; nothing while it is open. */
  close(now: number): CountedRefusal[] {
    return now < this.#until ? [] : this.end();
  }

  /** The same, over or not. */
  end(): CountedRefusal[] {
    const closed = [...this.#kinds.values()].filter((counted) => counted !== undefined);
    this.#kinds = new Map();
    [this.#known, this.#unknown] = [0, 0];
    return closed;
  }

  #place(refusal: Refusal): { kind: string; kept: Refusal } {
    const kind = kindOf(refusal);
    if (this.#kinds.has(kind)) return { kind, kept: refusal };
    const hasRoom = refusal.principal === undefined ? ++this.#unknown <= UNKNOWN : ++this.#known <= KNOWN;
    return hasRoom ? { kind, kept: refusal } : { kind: refusal.outcome, kept: nameless(refusal) };
  }
}

function kindOf({ principal, token, session, outcome, operation, resource, address }: Refusal): string {
  return principal === undefined
    ? JSON.stringify([networkOf(address)])
    : JSON.stringify([principal.kind, principal.id, token, session, outcome, operation, resource]);
}

/** One that stands for many others must not be held against whoever came first. */
function nameless({ time, requestId, outcome }: Refusal): Refusal {
  return {
    time,
    requestId,
    outcome,
    params: {},
    resource: '/',
    operation: 'several',
    method: 'several',
    address: 'several',
    principal: undefined,
    token: undefined,
    session: undefined,
    before: undefined,
    after: undefined,
  };
}

function counted(refusal: Refusal): CountedRefusal {
  return { ...refusal, lastTime: refusal.time, count: 1 };
}

function more(before: CountedRefusal | undefined, refusal: Refusal): CountedRefusal {
  if (before === undefined) return counted(refusal);
  return { ...before, lastTime: Math.max(before.lastTime, refusal.time), count: before.count + 1 };
}

/** Whoever has an IPv6 address has 2^64 of them. */
function networkOf(address: string): string {
  return address.includes(':') && !address.includes('.') ? address.split(':', 4).join(':') : address;
}
