import type { TargetClaim } from '../../domain/control-message.ts';
import type { LocalSession } from './local-session.ts';

/** The replicas of one process, and what they said of the target. */
interface Standby {
  readonly sessions: readonly [LocalSession, ...LocalSession[]];
  readonly claim: TargetClaim;
}

/**
 * Processes that were refused a target because somebody else speaks for it, for as long as they are there. They ask again by
 * and by; whoever can let them in before need not wait for that.
 */
export class StandingBy {
  readonly #byName = new Map<string, Map<LocalSession, TargetClaim>>();

  add(session: LocalSession, claim: TargetClaim): void {
    const those = this.#byName.get(claim.name) ?? new Map<LocalSession, TargetClaim>();
    this.#byName.set(claim.name, those.set(session, claim));
  }

  /** For this target, or for any. */
  drop(session: LocalSession, target?: string): void {
    for (const name of target === undefined ? this.#byName.keys() : [target]) {
      const those = this.#byName.get(name);
      those?.delete(session);
      if (those?.size === 0) this.#byName.delete(name);
    }
  }

  /** The process that has stood by the longest, and stands by no longer. */
  take(name: string): Standby | undefined {
    const those = this.#byName.get(name);
    const [first] = those ?? [];
    if (those === undefined || first === undefined) return undefined;
    const [session, claim] = first;
    const others = [...those.keys()].filter((other) => other !== session && other.name === session.name);
    for (const each of [session, ...others]) this.drop(each, name);
    return { sessions: [session, ...others], claim };
  }
}
