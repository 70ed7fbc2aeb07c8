import type {
  Acknowledgement,
  DeliveryOrder,
  DeliveryReport,
  Inventory,
  OrderKey,
  PreviewAnswer,
} from '#protocol/delivery';
import type { TargetRef } from '#protocol/targets';
import type { ConnectionChange } from '../domain/connection-change.ts';

/**
 * Whoever keeps the delivery contract for some targets: accept, apply, report health for as long as it is there.
 * `testing/delivery-agent-contract.ts` is what each of them has to pass. The router to all of them has the same shape.
 */
export interface DeliveryAgent {
  /** Resolves once the agent has it safely, or will not have it. A throw is a try that may be repeated. */
  dispatch(order: DeliveryOrder, signal: AbortSignal): Promise<Acknowledgement>;
  /** Nobody waits for it any longer. It may come to its end all the same; to cancel what is not there does nothing. */
  cancel(order: OrderKey, signal: AbortSignal): Promise<void>;
  /** What would change, and nothing does; `undefined` when it cannot tell. */
  preview(order: DeliveryOrder, signal: AbortSignal): Promise<PreviewAnswer | undefined>;
}

/**
 * Where agents say what they have to say. Each call resolves once it was taken over, so that an agent that waits for it
 * is never faster than whoever listens; and what concerns one target is told in order.
 */
export interface AgentReports {
  report(reports: readonly DeliveryReport[], signal: AbortSignal): Promise<void>;
  /** After a target connected, and before anything else of it is reported. */
  inventory(inventories: readonly Inventory[], signal: AbortSignal): Promise<void>;
  connectionChanged(changes: readonly ConnectionChange[], signal: AbortSignal): Promise<void>;
}

export interface AgentDirectory {
  /** Who speaks for the target now, if anybody does. */
  agentFor(target: TargetRef): DeliveryAgent | undefined;
}
