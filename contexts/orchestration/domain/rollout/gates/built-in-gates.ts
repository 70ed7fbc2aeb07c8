import { approvalGate } from './approval-gate.ts';
import { deploymentHealthGate } from './deployment-health-gate.ts';
import type { Gate, GateRegistry } from './gate.ts';
import { healthGate } from './health-gate.ts';
import { waitGate } from './wait-gate.ts';

const GATES: readonly Gate[] = [waitGate, approvalGate, healthGate, deploymentHealthGate];

/** To add gates, build a map of these and your own. */
export const BUILT_IN_GATES: GateRegistry = new Map(GATES.map((gate) => [gate.type, gate]));
