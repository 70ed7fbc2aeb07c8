import type {
  HeldObject,
  IndexAsk,
  IndexDelta,
  ToIndexer,
  TypeDigest,
  TypeReport,
} from '../../domain/index-message.ts';

export interface TargetDelta {
  readonly target: string;
  readonly delta: IndexDelta;
}

export interface AppliedDeltas {
  readonly put: number;
  readonly deleted: number;
  /** What made no sense. */
  readonly refused: number;
}

/** What is known of all targets. */
export interface IndexStore {
  /** In order, all or nothing, in one transaction. Of targets that are not there any more nothing is kept. */
  apply(deltas: readonly TargetDelta[], now: number, signal: AbortSignal): Promise<AppliedDeltas>;
  digests(target: string, now: number, signal: AbortSignal): Promise<readonly TypeDigest[]>;
  /** Of one type, in these buckets; in parts, each as large as one message may be. */
  held(
    target: string,
    ask: Pick<IndexAsk, 'type' | 'buckets'>,
    signal: AbortSignal,
  ): Promise<readonly (readonly HeldObject[])[]>;
  report(
    target: string,
    report: { readonly types: readonly TypeReport[]; readonly now: number },
    signal: AbortSignal,
  ): Promise<void>;
}

/** The way to the agents. */
export interface IndexAgents {
  /** Throws when nobody speaks for the target now: whoever comes asks again. */
  send(target: string, message: ToIndexer, signal: AbortSignal): Promise<void>;
}

export interface IndexObserver {
  applied(applied: AppliedDeltas): void;
  /** It will be tried again. */
  trouble(error: unknown): void;
  /** It was passed over. */
  lost(target: string, error: unknown): void;
}
