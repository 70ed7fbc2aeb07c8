export { type AgentMessage, type AgentMessages, ChannelAgent } from './channel/channel-agent.ts';
export {
  DeliveryServer,
  type DeliveryServerDeps,
  type PlatformMessage,
  type PlatformMessages,
  type ServedAgent,
} from './channel/delivery-server.ts';
export { StatusIntake, type StatusIntakeDeps, type StatusOutcome } from './channel/status-intake.ts';
export type { Behaviour, Outcome } from './simulated/behaviour.ts';
export type { FleetMemory, Remembered } from './simulated/fleet-memory.ts';
export type { FleetScript, ScriptStep } from './simulated/fleet-script.ts';
export { SimulatedFleet, type SimulatedFleetDeps } from './simulated/simulated-fleet.ts';
