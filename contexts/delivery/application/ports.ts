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
 * Fulfils the delivery contract for some targets: accept, apply, and report health from then on. Every implementation
 * has to pass `testing/delivery-agent-contract.ts`. The router to all agents has the same interface.
 */
export interface DeliveryAgent {
  /** Resolves once the agent has stored the order durably, or has refused it. If it throws, the caller may retry. */
  dispatch(order: DeliveryOrder, signal: AbortSignal): Promise<Acknowledgement>;
  /** The result is no longer awaited. The order may complete all the same. Cancelling an unknown order does nothing. */
  cancel(order: OrderKey, signal: AbortSignal): Promise<void>;
  /** The changes that the order would make, without making them; `undefined` when the agent cannot tell. */
  preview(order: DeliveryOrder, signal: AbortSignal): Promise<PreviewAnswer | undefined>;
}

/**
 * Receives the reports of agents. Each call resolves once the report was taken over, so that an agent that waits for it
 * is never faster than its listener. Reports on one target arrive in order.
 */
export interface AgentReports {
  report(reports: readonly DeliveryReport[], signal: AbortSignal): Promise<void>;
  /** After a target connected, and before any other report on it. */
  inventory(inventories: readonly Inventory[], signal: AbortSignal): Promise<void>;
  connectionChanged(changes: readonly ConnectionChange[], signal: AbortSignal): Promise<void>;
}

export interface AgentDirectory {
  /** The agent that currently serves the target, if any. */
  agentFor(target: TargetRef): DeliveryAgent | undefined;
}
