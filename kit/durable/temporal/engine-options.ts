import type { Secret } from '../../std/index.ts';
import type { DurableEngine, Registry } from '../engine.ts';

/** The address of the Temporal server. */
export interface TemporalAddress {
  /** `host:port`. */
  readonly address: string;
  readonly namespace: string;
}

export interface TemporalEngineOptions extends TemporalAddress {
  /** Workers with the same queue share its workflows; a client sees only the workflows of its queue. */
  readonly taskQueue: string;
  readonly registry: Registry;
  /** Modules that export every workflow of the registry. They are bundled for the sandbox, with everything they import. */
  readonly workflowModules: readonly URL[];
  /** Without it, the connection is not encrypted. */
  readonly tls?: TemporalTls;
  /** Sent with every call; needs `tls`. */
  readonly apiKey?: Secret<string>;
  readonly log?: EngineLog;
  /** If a worker is silent for this long, another worker repeats its attempts. 15 s by default. */
  readonly workerLostMs?: number;
  /** A worker that takes longer for one workflow task is considered lost. 10 s by default. */
  readonly workflowTaskTimeoutMs?: number;
}

export interface TemporalTls {
  /** PEM. By default, the certificate authorities of the system. */
  readonly ca?: Uint8Array;
  /** PEM, both: the client certificate. */
  readonly certificate?: { readonly cert: Uint8Array; readonly key: Uint8Array };
  /** The name in the server's certificate, if it differs from the host in the address. */
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
  /** Closes the client's connection. */
  close(): Promise<void>;
}

/** Input of the published engine besides the options: workflows that were bundled when its package was built. */
export interface CreatedEngineOptions extends TemporalEngineOptions {
  readonly workflowBundle?: URL;
}

export type CreateTemporalEngine = (options: CreatedEngineOptions, signal: AbortSignal) => Promise<TemporalEngine>;
