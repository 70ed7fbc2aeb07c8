export type { Behaviour, Outcome } from './simulated/behaviour.ts';
export type { FleetMemory, Remembered } from './simulated/fleet-memory.ts';
export type { FleetScript, ScriptStep } from './simulated/fleet-script.ts';
export { SimulatedFleet, type SimulatedFleetDeps } from './simulated/simulated-fleet.ts';
