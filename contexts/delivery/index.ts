export { AgentRegistry, type Served } from './application/agent-registry.ts';
export type { AgentDirectory, AgentReports, DeliveryAgent } from './application/ports.ts';
export { createTargetRouter, type TargetRouterDeps } from './application/target-router.ts';
export type {
  Acknowledgement,
  ConnectionChange,
  DeliverOrder,
  DeliveryOrder,
  DeliveryReport,
  Document,
  Health,
  HealthRule,
  Holding,
  Inventory,
  OrderKey,
  PreviewAnswer,
  RemoveOrder,
  TargetId,
  TargetRef,
} from './domain/delivery-order.ts';
