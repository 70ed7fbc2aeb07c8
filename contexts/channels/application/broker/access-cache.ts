import { type Clock, unlessAborted } from '#kit/std';
import type { AccessFacts, AccessQuestion, AccessReply } from '../../domain/access-message.ts';
import type { AccessResolver } from './access-resolver.ts';

export interface AccessCacheDeps {
  readonly resolver: AccessResolver;
  readonly clock: Clock;
  /** One-way, so that tokens are never stored as keys. */
  readonly hash: (text: string) => string;
  readonly isConnected: () => boolean;
  /** How long after its expiry an answer is still served while the platform is unreachable. */
  readonly staleMs: number;
  readonly answerWithinMs?: number;
  readonly maxEntries?: number;
}

interface Entry {
  readonly facts: AccessFacts;
  readonly at: number;
  readonly until: number;
}

const MAX_ENTRIES = 10_000;
const ANSWER_WITHIN_MS = 5_000;
/** Access may have been granted since the refusal. */
const REFUSAL_MAX_AGE_MS = 5_000;

/**
 * Caches the answers of the platform for as long as the platform allows, and longer while it is unreachable. Concurrent
 * identical questions are asked once.
 *
 * DECISION: fleetlets are not notified of revocations; the maximum age of an answer is the bound. The platform chooses it, and
 * the operator adds `staleMs` for times when the platform is unreachable.
 */
export class AccessCache implements AccessResolver {
  readonly #deps: AccessCacheDeps;
  /** In the order of last use. */
  readonly #entries = new Map<string, Entry>();
  readonly #underWay = new Map<string, Promise<AccessReply>>();
  readonly counts = { fresh: 0, stale: 0, asked: 0 };

  constructor(deps: AccessCacheDeps) {
    this.#deps = deps;
  }

  get size(): number {
    return this.#entries.size;
  }

  async resolve(question: AccessQuestion, signal: AbortSignal): Promise<AccessReply> {
    const key = this.#deps.hash(JSON.stringify(question));
    const known = this.#fresh(key) ?? (this.#deps.isConnected() ? undefined : this.#stale(key));
    if (known !== undefined) return known;
    try {
      return await unlessAborted(this.#ask(key, question), signal);
    } catch (error) {
      signal.throwIfAborted();
      const old = this.#stale(key);
      if (old === undefined) throw error;
      return old;
    }
  }

  #fresh(key: string): AccessReply | undefined {
    const entry = this.#entries.get(key);
    const now = this.#deps.clock.now();
    if (entry === undefined || now >= entry.until) return undefined;
    this.#keep(key, entry);
    this.counts.fresh += 1;
    return { facts: entry.facts, maxAgeMs: entry.until - now, staleMs: 0 };
  }

  #stale(key: string): AccessReply | undefined {
    const entry = this.#entries.get(key);
    const now = this.#deps.clock.now();
    if (entry === undefined || entry.facts.kind === 'fault' || now > entry.until + this.#deps.staleMs) return undefined;
    this.#keep(key, entry);
    this.counts.stale += 1;
    return { facts: entry.facts, maxAgeMs: 0, staleMs: Math.max(1, now - entry.at) };
  }

  /** Has its own deadline: the first caller may give up while others still wait. */
  #ask(key: string, question: AccessQuestion): Promise<AccessReply> {
    const asked = this.#underWay.get(key);
    if (asked !== undefined) return asked;
    this.counts.asked += 1;
    const within = AbortSignal.timeout(this.#deps.answerWithinMs ?? ANSWER_WITHIN_MS);
    const answer = this.#deps.resolver
      .resolve(question, within)
      .then((reply) => {
        this.#remember(key, reply);
        return reply;
      })
      .finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, answer);
    return answer;
  }

  #remember(key: string, { facts, maxAgeMs }: AccessReply): void {
    const lasts = facts.kind === 'fault' ? Math.min(maxAgeMs, REFUSAL_MAX_AGE_MS) : maxAgeMs;
    if (lasts <= 0) return;
    const now = this.#deps.clock.now();
    this.#keep(key, { facts, at: now, until: now + lasts });
    if (this.#entries.size <= (this.#deps.maxEntries ?? MAX_ENTRIES)) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }

  #keep(key: string, entry: Entry): void {
    this.#entries.delete(key);
    this.#entries.set(key, entry);
  }
}
