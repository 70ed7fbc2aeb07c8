import type { TargetClaim } from '../../domain/control-message.ts';
import type { LocalSession } from './local-session.ts';

/** The replicas of one process, and their claim to the target. */
interface Standby {
  readonly sessions: readonly [LocalSession, ...LocalSession[]];
  readonly claim: TargetClaim;
}

/**
 * Connected processes that were refused a target because another process serves it. They retry periodically; this list lets
 * them in as soon as the target is free.
 */
export class StandingBy {
  readonly #byName = new Map<string, Map<LocalSession, TargetClaim>>();

  add(session: LocalSession, claim: TargetClaim): void {
    const those = this.#byName.get(claim.name) ?? new Map<LocalSession, TargetClaim>();
    this.#byName.set(claim.name, those.set(session, claim));
  }

  /** For this target, or for all. */
  drop(session: LocalSession, target?: string): void {
    for (const name of target === undefined ? this.#byName.keys() : [target]) {
      const those = this.#byName.get(name);
      those?.delete(session);
      if (those?.size === 0) this.#byName.delete(name);
    }
  }

  /** Removes and returns the process that has stood by the longest. */
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
