export interface PipelineSettings {
  /** How many deliveries of one batch may be on their way at once. */
  readonly width: number;
  /** How long one attempt to hand a delivery over may take. */
  readonly dispatchMs: number;
  /** For how many targets a manifest strategy may generate at once, unless it declares fewer. */
  readonly generateWidth: number;
  /** How long one call of a manifest strategy may take. */
  readonly generateMs: number;
}

export const PIPELINE_SETTINGS: PipelineSettings = {
  width: 100,
  dispatchMs: 15_000,
  generateWidth: 16,
  generateMs: 10_000,
};
