import { BatchWriter, type Sleep } from '#kit/std';
import type { TargetObservation } from '#protocol/delivery';
import type { TargetId } from '#protocol/targets';
import { DeliveryError } from '../../domain/delivery-error.ts';
import { type AgentStatus, decodeStatus } from './status-codec.ts';

export interface StatusIntakeDeps {
  /** Stores all observations with all their effects, or none. */
  readonly store: (observations: readonly TargetObservation[], signal: AbortSignal) => Promise<void>;
  readonly sleep: Sleep;
  /** A failure that will be retried. */
  readonly onRetry: (error: unknown) => void;
}

/** How a message from a channel ended; it can be acknowledged. */
export type StatusOutcome =
  | { readonly kind: 'stored'; readonly about: AgentStatus['about'] }
  /** Of a later release. */
  | { readonly kind: 'unknown' }
  /** It can never be processed. It delayed no other message. */
  | { readonly kind: 'refused'; readonly error: unknown };

/**
 * How long an acceptance waits: usually the report that the content was applied arrives first, and then there is nothing
 * to write. Nothing depends on it, and an acceptance lost in a crash only means that the order is sent again.
 */
const PATIENCE_MS = 200;

/**
 * Everything that the platform learns about targets comes in here, from channels, from agents in this process and from
 * deliveries, and is batched once.
 */
export class StatusIntake {
  readonly #writer: BatchWriter<TargetObservation>;

  constructor({ store, sleep, onRetry }: StatusIntakeDeps) {
    const patience = { ms: PATIENCE_MS, isPatient: isAcceptance, keyOf: rowOf };
    this.#writer = new BatchWriter({ write: store, onRetry, patience, sleep });
  }

  /**
   * For messages of channels: it is acknowledged once it is stored, so that the windows of the channels bound how many
   * wait.
   */
  receive(target: TargetId, payload: Uint8Array, settled: (outcome: StatusOutcome) => void): void {
    let status: AgentStatus | undefined;
    try {
      status = decodeStatus(payload, target);
    } catch (cause) {
      const error = new DeliveryError('BAD_MESSAGE', 'The report of an agent cannot be decoded.', { cause });
      return settled({ kind: 'refused', error });
    }
    if (status === undefined) return settled({ kind: 'unknown' });
    const { about } = status;
    this.#writer.put(status, {
      stored: () => settled({ kind: 'stored', about }),
      refused: (error) => settled({ kind: 'refused', error }),
    });
  }

  /**
   * For code in this process. Resolves once they and all their effects are on disk; an abort ends the wait alone. Those of
   * one call are stored in order.
   */
  async observe(observations: readonly TargetObservation[], signal: AbortSignal): Promise<void> {
    await this.#writer.add(observations, signal);
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#writer.run(signal);
  }
}

function isAcceptance(observation: TargetObservation): boolean {
  return observation.about === 'handover' && observation.handover.kind === 'accepted';
}

/** The deployment and target that it is about. */
function rowOf(observation: TargetObservation): string | undefined {
  if (observation.about === 'report') return `${observation.report.deployment} ${observation.report.target}`;
  if (observation.about !== 'handover') return undefined;
  return `${observation.handover.deployment} ${observation.handover.target}`;
}
