import { canonicalJson, type FieldFault, parseDuration, StdError } from '#kit/std';

/** Rules for a workspace and everything below it, which deployments there cannot weaken. */
export interface WorkspacePolicy {
  /** Gates that every rollout starts with, besides its own. Their meaning is defined by orchestration. */
  readonly requiredGates: readonly RequiredGate[];
}

export interface RequiredGate {
  readonly type: string;
  readonly [field: string]: unknown;
}

const DURATIONS = ['duration', 'expiry', 'stableDuration', 'timeout'] as const;

/** Checks that the JSON schema cannot express. */
export function policyFaults(policy: WorkspacePolicy | undefined): FieldFault[] {
  return (policy?.requiredGates ?? []).flatMap((gate, index) =>
    DURATIONS.filter((field) => gate[field] !== undefined && !isDuration(gate[field])).map((field) => ({
      path: `/policy/requiredGates/${index}/${field}`,
      message: 'must be a duration such as 30s, 10m or 1h30m',
    })),
  );
}

/** A policy without gates is stored as none. */
export function policyOf(raw: WorkspacePolicy | null | undefined): { readonly policy?: WorkspacePolicy } {
  return raw === null || raw === undefined || raw.requiredGates.length === 0 ? {} : { policy: raw };
}

export function samePolicy(a: WorkspacePolicy | undefined, b: WorkspacePolicy | undefined): boolean {
  return canonicalJson(a ?? null) === canonicalJson(b ?? null);
}

function isDuration(raw: unknown): boolean {
  try {
    return parseDuration(String(raw)) >= 0;
  } catch (error) {
    if (error instanceof StdError) return false;
    throw error;
  }
}
