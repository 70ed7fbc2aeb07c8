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
  /** Invalid changes that were ignored. */
  readonly refused: number;
}

/** The index of all targets. */
export interface IndexStore {
  /** In order, all or nothing, in one transaction. Changes of targets that no longer exist are ignored. */
  apply(deltas: readonly TargetDelta[], now: number, signal: AbortSignal): Promise<AppliedDeltas>;
  digests(target: string, now: number, signal: AbortSignal): Promise<readonly TypeDigest[]>;
  /** The entries of these buckets of a type, in parts that each fit into one message. */
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

/** Sends messages to agents. */
export interface IndexAgents {
  /** Throws when no agent that serves the target is connected; an agent that connects asks by itself. */
  send(target: string, message: ToIndexer, signal: AbortSignal): Promise<void>;
}

export interface IndexObserver {
  applied(applied: AppliedDeltas): void;
  /** The operation is retried. */
  trouble(error: unknown): void;
  /** The message was dropped. */
  lost(target: string, error: unknown): void;
}
