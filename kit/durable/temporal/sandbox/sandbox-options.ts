/** Also those of workflows that were bundled when the package was built. */
export const SANDBOX_DEFAULTS: SandboxOptions = { workerLostMs: 15_000, workflowTaskTimeoutMs: 10_000 };

/** Settings that the sandbox needs. None of them affects what a replay asks for. */
export interface SandboxOptions {
  /** If a worker is silent for this long, another worker repeats its attempts. */
  readonly workerLostMs: number;
  /** A worker that takes longer for one workflow task is considered lost. */
  readonly workflowTaskTimeoutMs: number;
}
