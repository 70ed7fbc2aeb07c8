export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly observedGeneration?: number;
  readonly lastTransitionTime: string;
  readonly reason: string;
  readonly message: string;
}

/** A v1beta1 condition: still written for clients that read it. */
export interface LegacyCondition {
  readonly type: string;
  readonly status: string;
  readonly severity?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface SetStatus {
  readonly observedGeneration?: number;
  readonly conditions: readonly Condition[];
  readonly legacyConditions: readonly LegacyCondition[];
}
