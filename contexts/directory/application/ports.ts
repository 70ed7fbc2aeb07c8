import type { DeliveryReport, Inventory } from '#protocol/delivery';
import type { HealthCheck } from '../domain/desired-file.ts';
import type { DeploymentRecord } from '../domain/order.ts';
import type { Observed } from '../domain/plan-files.ts';

/**
 * A folder that nothing is read from or written to outside of. Paths have passed `checkPath`. Links are never followed, at any
 * level and whenever they were created.
 */
export interface Folder {
  observe(paths: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, Observed>>;
  /** `undefined` when there is no file. */
  read(path: string, signal: AbortSignal): Promise<Uint8Array | undefined>;
  /**
   * Atomic, and on disk when it resolves. Missing parent folders are created; with `hasSecretFolder` the last one is for the
   * owner alone. Existing folders stay as they are.
   */
  write(path: string, file: FileToWrite, signal: AbortSignal): Promise<void>;
  /** Removes the file, and the parent folders that are empty then. A missing file is fine. */
  remove(path: string, signal: AbortSignal): Promise<void>;
  /** Calls back some time after a change. It may miss changes, and call without one. */
  watch(changed: () => void): { close(): void };
}

export interface FileToWrite {
  readonly content: Uint8Array;
  readonly mode: number;
  readonly hasSecretFolder?: boolean;
}

/** The records of the deployments in a folder. */
export interface RecordStore {
  /** Identifies the folder; a recreated folder has another instance. */
  readonly instance: string;
  all(): readonly DeploymentRecord[];
  find(deployment: string): DeploymentRecord | undefined;
  /** On disk when it resolves. */
  save(record: DeploymentRecord, signal: AbortSignal): Promise<void>;
}

/** Receives reports and inventories. Resolves once they are delivered. */
export interface Reports {
  report(reports: readonly DeliveryReport[], signal: AbortSignal): Promise<void>;
  inventory(inventories: readonly Inventory[], signal: AbortSignal): Promise<void>;
}

export interface CommandRunner {
  /** `undefined` on success; otherwise a short reason. */
  run(check: HealthCheck, signal: AbortSignal): Promise<string | undefined>;
}
