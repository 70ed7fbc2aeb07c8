import type { AuditEntry } from './audit-entry.ts';

/** A refusal before it has an id and a scope. */
export interface Refusal extends Omit<AuditEntry, 'id' | 'scope' | 'lastTime' | 'count'> {
  /** The request's parameters, to find its scope. */
  readonly params: Readonly<Record<string, string>>;
}

export interface CountedRefusal extends Refusal {
  readonly lastTime: number;
  readonly count: number;
}

export const WINDOW_MS = 60_000;

/** How many different refusals a window keeps apart: of known callers, of each of them, and of unknown ones. */
const KNOWN = 100;
const OF_ONE_CALLER = 20;
const UNKNOWN = 20;
/**
 * How many kinds by caller, outcome, operation and place, for known callers whose refusals are more than that: of all, and of
 * each of them. A place is a workspace or a target.
 */
const BY_PLACE = 100;
const PLACES_OF_ONE_CALLER = 10;
/** How many kinds by caller and outcome alone, for known callers with more than that. */
const BY_CALLER = 100;

/**
 * Turns refusals into entries, few enough that no flood fills a disk.
 *
 * DECISION: the first refusal of a kind within a minute becomes an entry at once; the others become one more entry with their
 * count when the minute is over. For a known caller the kind is caller, operation and resource, and a caller has 20 of them, so
 * that its flood takes no details from others. Beyond them it has 10 by outcome, operation and place, so that what one cluster
 * refused is shown with that cluster, and to its administrators. The rest of a caller is one kind for each outcome, still in its
 * name. For an unknown caller the kind is the network, because the caller chooses everything else. Beyond 100 kinds of known
 * callers in detail, 100 by place, 100 by caller and 20 of unknown callers, the rest is one kind for each outcome. So every
 * refusal is counted, and a process writes at most 646 entries a minute, whatever the load. (ADR-0027, ADR-0055, ADR-0063)
 */
export class RefusalWindow {
  #until = 0;
  #kinds = new Map<string, CountedRefusal | undefined>();
  #known = 0;
  #byPlace = 0;
  #byCaller = 0;
  #unknown = 0;
  #kindsOf = new Map<string, number>();
  #placesOf = new Map<string, number>();

  /** The entries to be written now. */
  take(refusal: Refusal, now: number): CountedRefusal[] {
    const closed = this.close(now);
    if (this.#kinds.size === 0) this.#until = now + WINDOW_MS;
    const { kind, kept } = this.#place(refusal);
    const isFirst = !this.#kinds.has(kind);
    this.#kinds.set(kind, isFirst ? undefined : more(this.#kinds.get(kind), kept));
    return isFirst ? [...closed, counted(kept)] : closed;
  }

  /** The counts of a window that is over; empty while it is open. */
  close(now: number): CountedRefusal[] {
    return now < this.#until ? [] : this.end();
  }

  /** The same, also while it is open. */
  end(): CountedRefusal[] {
    const closed = [...this.#kinds.values()].filter((counted) => counted !== undefined);
    this.#kinds = new Map();
    [this.#known, this.#byPlace, this.#byCaller, this.#unknown] = [0, 0, 0, 0];
    this.#kindsOf = new Map();
    this.#placesOf = new Map();
    return closed;
  }

  #place(refusal: Refusal): { kind: string; kept: Refusal } {
    const kind = kindOf(refusal);
    if (this.#kinds.has(kind)) return { kind, kept: refusal };
    const rest = { kind: refusal.outcome, kept: nameless(refusal) };
    const { principal, outcome } = refusal;
    if (principal === undefined) return ++this.#unknown <= UNKNOWN ? { kind, kept: refusal } : rest;
    const caller = JSON.stringify([principal.kind, principal.id]);
    const own = this.#kindsOf.get(caller) ?? 0;
    if (own < OF_ONE_CALLER && this.#known < KNOWN) {
      this.#known += 1;
      this.#kindsOf.set(caller, own + 1);
      return { kind, kept: refusal };
    }
    const place = placeOf(refusal);
    const there = {
      kind: JSON.stringify([caller, outcome, refusal.operation, place]),
      kept: { ...nameless(refusal), principal, operation: refusal.operation, resource: place },
    };
    if (this.#kinds.has(there.kind)) return there;
    const places = this.#placesOf.get(caller) ?? 0;
    if (places < PLACES_OF_ONE_CALLER && this.#byPlace < BY_PLACE) {
      this.#byPlace += 1;
      this.#placesOf.set(caller, places + 1);
      return there;
    }
    const inTheirName = { kind: JSON.stringify([caller, outcome]), kept: { ...nameless(refusal), principal } };
    if (this.#kinds.has(inTheirName.kind)) return inTheirName;
    return ++this.#byCaller <= BY_CALLER ? inTheirName : rest;
  }
}

function kindOf({ principal, token, session, outcome, operation, resource, address }: Refusal): string {
  return principal === undefined
    ? JSON.stringify([networkOf(address)])
    : JSON.stringify([principal.kind, principal.id, token, session, outcome, operation, resource]);
}

/** `/v1/targets/edge-1` of `/v1/targets/edge-1/api/v1/namespaces/shop/pods`. */
function placeOf({ resource }: Refusal): string {
  return resource.split(/[?:]/, 1).join('').split('/', 4).join('/');
}

/** An entry that stands for many requests must not name what the first of them did. */
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
    clientRequestId: undefined,
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

/** An IPv6 caller has 2^64 addresses, so the /64 prefix counts. */
function networkOf(address: string): string {
  return address.includes(':') && !address.includes('.') ? address.split(':', 4).join(':') : address;
}
