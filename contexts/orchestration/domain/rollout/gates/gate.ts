import type { FieldFault } from '#kit/std';

/** A task before or after a stage as the API takes it. The fields are those of its type. */
export type GateSpec = { readonly type: string; readonly [field: string]: unknown };

/**
 * Something that has to be true before a rollout goes on. A gate is pure; what it has to remember is its memory, which
 * is JSON and part of the rollout's state.
 */
export interface Gate<Spec extends GateSpec = GateSpec, Memory extends GateMemory = GateMemory> {
  readonly type: Spec['type'];
  /** What a schema cannot see, all of it at once. */
  faults(spec: Spec, at: string): FieldFault[];
  /** When the rollout comes to it: what to remember, and whom to ask. */
  open(spec: Spec, scene: GateScene): GateOpening<Memory>;
  /** An answer to what was asked. One that does not concern the gate changes nothing. */
  hear?(memory: Memory, answer: GateAnswer, hearing: GateHearing<Spec>): Memory;
  /** Asked again after everything that happens, and at the time that the last verdict named. */
  judge(spec: Spec, memory: Memory, scene: GateScene): Verdict;
}

/** Whom a gate asks. Each is answered with the same gate and revision. */
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
  /** Of this opening of the gate: a gate that is opened anew after a refusal has another id. */
  readonly gate: string;
  readonly revision: number;
  readonly now: number;
  readonly openedAt: number;
  /** The health of the stage's targets; of a gate before a stage, that of all that the rollout has delivered so far. */
  readonly health: WatchedHealth;
  readonly progressDeadlineMs: number;
}

export interface WatchedHealth {
  /** How many are not available. */
  readonly unhealthy: number;
  /** Since when there was no moment with one that was not. Means nothing while there is one. */
  readonly healthySince: number;
}

export interface GateHearing<Spec extends GateSpec> {
  readonly spec: Spec;
  readonly now: number;
  /** All who wrote something that the rollout brings, or asked for it. */
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
      /** What is missing, for people; the same text for the same thing. */
      readonly message: string;
      /** What somebody can do about it. */
      readonly unblock: string;
      /** When to be asked again, if nothing happens before. */
      readonly until?: number;
      /** Set when it is targets that are in the way, which are then named. */
      readonly blames?: 'unhealthy';
    }
  | {
      readonly kind: 'no';
      readonly reason: 'GateRejected' | 'GateExpired' | 'GateUnhealthy';
      readonly message: string;
      /** Whether the stage's `failurePolicy` decides what follows. Otherwise the rollout pauses. */
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
