/** Settings that the sandbox needs. None of them changes what a replay asks for. */
export interface SandboxOptions {
  /** A try whose worker has given no sign of life for so long is done again by another. */
  readonly workerLostMs: number;
  /** A worker that takes longer over one turn of a workflow is taken for lost. */
  readonly workflowTaskTimeoutMs: number;
}
