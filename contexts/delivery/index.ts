export { AgentRegistry, type Served } from './application/agent-registry.ts';
export type { AgentDirectory, AgentReports, DeliveryAgent } from './application/ports.ts';
export { createTargetRouter, type TargetRouterDeps } from './application/target-router.ts';
export type { ConnectionChange } from './domain/connection-change.ts';
