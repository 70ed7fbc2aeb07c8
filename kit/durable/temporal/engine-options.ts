import type { DurableEngine, Registry } from '../engine.ts';

/** Where Temporal is. */
export interface TemporalAddress {
  /** `host:port`. */
  readonly address: string;
  readonly namespace: string;
}

export interface TemporalEngineOptions extends TemporalAddress {
  /** Workers with the same queue share its workflows; a client sees no other's. */
  readonly taskQueue: string;
  readonly registry: Registry;
  /** Modules whose exports hold every workflow of the registry. They and what they import is bundled for the sandbox. */
  readonly workflowModules: readonly URL[];
  /** Plain text where it is missing. */
  readonly tls?: TemporalTls;
  readonly log?: EngineLog;
  /** A try whose worker has given no sign of life for so long is done again by another. 15 s unless told otherwise. */
  readonly workerLostMs?: number;
  /** A worker that takes longer over one turn of a workflow is taken for lost. 10 s unless told otherwise. */
  readonly workflowTaskTimeoutMs?: number;
}

export interface TemporalTls {
  /** PEM. Without it, the certificate authorities of the system count. */
  readonly ca?: Uint8Array;
  /** PEM, both: who we are. */
  readonly certificate?: { readonly cert: Uint8Array; readonly key: Uint8Array };
  /** The name in the server's certificate, when it is not the one that is dialled. */
  readonly serverName?: string;
}

/** The part of a logger that is used. */
export interface EngineLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface TemporalEngine extends DurableEngine {
  /** Ends the client's connection. */
  close(): Promise<void>;
}

export type CreateTemporalEngine = (options: TemporalEngineOptions, signal: AbortSignal) => Promise<TemporalEngine>;
