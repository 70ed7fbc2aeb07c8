import type { FieldFault } from '#kit/std';

/** A task before or after a stage, as the API takes it. The other fields depend on the type. */
export type GateSpec = { readonly type: string; readonly [field: string]: unknown };

/**
 * A condition that has to hold before a rollout continues. A gate is pure; anything it has to remember is in its memory,
 * which is JSON and part of the rollout's state.
 */
export interface Gate<Spec extends GateSpec = GateSpec, Memory extends GateMemory = GateMemory> {
  readonly type: Spec['type'];
  /** All faults that a schema cannot detect. */
  faults(spec: Spec, at: string): FieldFault[];
  /** Called when the rollout reaches the gate: returns the initial memory and the requests to send. */
  open(spec: Spec, scene: GateScene): GateOpening<Memory>;
  /** Applies an answer to a request. Answers that do not concern the gate change nothing. */
  hear?(memory: Memory, answer: GateAnswer, hearing: GateHearing<Spec>): Memory;
  /** Called after every event, and at the time that the last verdict named. */
  judge(spec: Spec, memory: Memory, scene: GateScene): Verdict;
}

/** A request by a gate. Its answer carries the same gate and revision. */
export type GateAsk =
  | {
      readonly kind: 'requestApproval';
      readonly gate: string;
      readonly revision: number;
      readonly requireDistinctApprover: boolean;
      readonly expiresAt?: number;
    }
  | { readonly kind: 'watchDeployment'; readonly gate: string; readonly deployment: string };

export type GateMemory = Readonly<Record<string, unknown>>;

export interface GateOpening<Memory extends GateMemory> {
  readonly memory: Memory;
  readonly asks: readonly GateAsk[];
}

export interface GateScene {
  /** Id of this opening of the gate: a gate that is opened again after a refusal has another one. */
  readonly gate: string;
  readonly revision: number;
  readonly now: number;
  readonly openedAt: number;
  /**
   * For a gate after a stage, the health of the stage's targets; before a stage, that of all targets delivered so far.
   */
  readonly health: WatchedHealth;
  readonly progressDeadlineMs: number;
}

export interface WatchedHealth {
  /** How many targets are not available. */
  readonly unhealthy: number;
  /** Since when all targets have been available. Meaningless while `unhealthy` is not 0. */
  readonly healthySince: number;
}

export interface GateHearing<Spec extends GateSpec> {
  readonly spec: Spec;
  readonly now: number;
  /** All principals who wrote something that the rollout brings, or asked for it. */
  readonly requesters: readonly string[];
}

export type GateAnswer =
  /** `override`: an administrator of the instance approved in spite of `requireDistinctApprover`. */
  | { readonly kind: 'approved'; readonly by: string; readonly override?: true }
  | { readonly kind: 'rejected'; readonly by: string; readonly message: string }
  | { readonly kind: 'expired' }
  | { readonly kind: 'deploymentHealth'; readonly isHealthy: boolean };

export type Verdict =
  | { readonly kind: 'go' }
  | {
      readonly kind: 'wait';
      /** The missing condition, for people. The same situation always has the same text. */
      readonly message: string;
      /** A way for a user to unblock it. */
      readonly unblock: string;
      /** When to judge the gate again if nothing happens before. */
      readonly until?: number;
      /** Set when targets block the gate; the wait then names them. */
      readonly blames?: 'unhealthy';
    }
  | {
      readonly kind: 'no';
      readonly reason: 'GateRejected' | 'GateExpired' | 'GateUnhealthy';
      readonly message: string;
      /** Whether the stage's `failurePolicy` applies. Otherwise the rollout pauses. */
      readonly isFailure: boolean;
    };

export type GateRegistry = ReadonlyMap<string, Gate>;

export function gateFaults(specs: readonly GateSpec[], gates: GateRegistry, at: string): FieldFault[] {
  return specs.flatMap((spec, index) => {
    const gate = gates.get(spec.type);
    if (gate !== undefined) return gate.faults(spec, `${at}/${index}`);
    const known = [...gates.keys()].sort((a, b) => (a < b ? -1 : 1)).join(', ');
    return [{ path: `${at}/${index}/type`, message: `must be one of ${known}` }];
  });
}
