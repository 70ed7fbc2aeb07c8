import type { DeliveryReport, Inventory } from '#protocol/delivery';
import type { DeploymentRecord } from '../domain/order.ts';
import type { Observed } from '../domain/plan-files.ts';
import type { HealthCheck } from '../domain/wanted-file.ts';

/**
 * A folder that nothing is read or written outside of. Paths have passed `checkPath`; links are not followed, wherever on
 * the way they stand, and whenever they were put there.
 */
export interface Folder {
  observe(paths: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, Observed>>;
  /** `undefined` when there is no file. */
  read(path: string, signal: AbortSignal): Promise<Uint8Array | undefined>;
  /**
   * Whole or not at all, and on disk when it resolves. Folders on the way are made, the last one with `hasSecretFolder` for
   * the owner alone; those that are there stay as they are.
   */
  write(path: string, file: FileToWrite, signal: AbortSignal): Promise<void>;
  /** And the folders on the way that are empty then. What is not there is fine. */
  remove(path: string, signal: AbortSignal): Promise<void>;
  /** Calls back some time after something changed. It may miss things, and call for nothing. */
  watch(changed: () => void): { close(): void };
}

export interface FileToWrite {
  readonly content: Uint8Array;
  readonly mode: number;
  readonly hasSecretFolder?: boolean;
}

/** What is known of the deployments in a folder. */
export interface RecordStore {
  /** Another one for a folder that was made anew. */
  readonly instance: string;
  all(): readonly DeploymentRecord[];
  find(deployment: string): DeploymentRecord | undefined;
  /** On disk when it resolves. */
  save(record: DeploymentRecord, signal: AbortSignal): Promise<void>;
}

/** Where it is told what becomes of orders. Resolves once somebody has heard it. */
export interface Reports {
  report(reports: readonly DeliveryReport[], signal: AbortSignal): Promise<void>;
  inventory(inventories: readonly Inventory[], signal: AbortSignal): Promise<void>;
}

export interface CommandRunner {
  /** `undefined` when it went well, or why not, in a few words. */
  run(check: HealthCheck, signal: AbortSignal): Promise<string | undefined>;
}
