export interface StreamLimits {
  /** Of one caller at one target. */
  readonly perCaller: number;
  /** Of one target, for all callers. Below the limit of one fleetlet. */
  readonly perTarget: number;
}

const STREAM_LIMITS: StreamLimits = { perCaller: 400, perTarget: 900 };

export type Taken =
  | { readonly kind: 'taken'; readonly release: () => void }
  | { readonly kind: 'full'; readonly most: number; readonly whose: 'caller' | 'target' };

/** Counts the open requests, so that no caller takes all capacity of a target, and no target all of the platform's. */
export class StreamBook {
  readonly #limits: StreamLimits;
  readonly #callers = new Map<string, number>();
  readonly #targets = new Map<string, number>();

  constructor(limits: StreamLimits = STREAM_LIMITS) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#targets.values().reduce((sum, count) => sum + count, 0);
  }

  /** `release` is idempotent. */
  take(caller: string, target: string): Taken {
    const { perCaller, perTarget } = this.#limits;
    const key = `${target}\n${caller}`;
    if ((this.#callers.get(key) ?? 0) >= perCaller) return { kind: 'full', most: perCaller, whose: 'caller' };
    if ((this.#targets.get(target) ?? 0) >= perTarget) return { kind: 'full', most: perTarget, whose: 'target' };
    add(this.#callers, key, 1);
    add(this.#targets, target, 1);
    let isReleased = false;
    const release = (): void => {
      if (isReleased) return;
      isReleased = true;
      add(this.#callers, key, -1);
      add(this.#targets, target, -1);
    };
    return { kind: 'taken', release };
  }
}

/** Removes counts of zero. */
function add(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
