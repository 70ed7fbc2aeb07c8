import type { Uuid } from '#kit/std';
import type { DeliveryReport, Health } from '#protocol/delivery';
import type { TargetRef } from '#protocol/targets';
import type { DeploymentRecord } from '../domain/order.ts';
import { conditionOf } from '../domain/plan-files.ts';
import type { CommandRunner, Folder, RecordStore } from './ports.ts';

export interface HealthMonitorDeps {
  readonly target: TargetRef;
  readonly folder: Folder;
  readonly records: RecordStore;
  readonly commands: CommandRunner;
  readonly report: (report: DeliveryReport) => void;
  readonly now: () => number;
}

export interface Look {
  readonly health: Health;
  readonly message: string;
  readonly drift: readonly string[];
}

const HIDDEN_FAULT = 'the health check command failed; its output is hidden because its document contains a secret';

/** The health of deployments in a folder, and the last report on each. */
export class HealthMonitor {
  readonly #deps: HealthMonitorDeps;
  readonly #reported = new Map<Uuid, string>();
  /** The last result of each command, and when: it is not run at every check. */
  readonly #checked = new Map<
    Uuid,
    { readonly hash: string; readonly at: number; readonly fault: string | undefined }
  >();

  constructor(deps: HealthMonitorDeps) {
    this.#deps = deps;
  }

  async look(deployment: Uuid, signal: AbortSignal): Promise<Look> {
    const { folder, records } = this.#deps;
    const record = records.find(deployment);
    if (record?.held === undefined) return { health: 'Unknown', message: 'nothing was applied completely', drift: [] };
    const found = conditionOf(record.files, await folder.observe(Object.keys(record.files), signal));
    if (found.health === 'Degraded') return found;
    const fault = await this.#check(record, signal);
    return fault === undefined ? found : { ...found, health: 'Degraded', message: fault };
  }

  /** Reports the health, if it is forced or has changed since the last report. */
  async report(deployment: Uuid, { signal, isForced }: { signal: AbortSignal; isForced: boolean }): Promise<void> {
    const held = this.#deps.records.find(deployment)?.held;
    if (held === undefined) return;
    const { health, message, drift } = await this.look(deployment, signal);
    const before = this.#reported.get(deployment);
    const now = JSON.stringify([held.revision, health, message, drift]);
    if (!isForced && now === before) return;
    this.#reported.set(deployment, now);
    const about = { target: this.#deps.target.id, deployment, revision: held.revision };
    this.#deps.report({ ...about, kind: 'health', health, message });
    const hadDrift = before !== undefined && (JSON.parse(before) as [number, string, string, string[]])[3].length > 0;
    if (drift.length > 0 || hadDrift) this.#deps.report({ ...about, kind: 'drift', objects: drift });
  }

  async #check({ deployment, held }: DeploymentRecord, signal: AbortSignal): Promise<string | undefined> {
    if (held?.check === undefined) return undefined;
    const last = this.#checked.get(deployment);
    const now = this.#deps.now();
    if (last?.hash === held.hash && now - last.at < held.check.intervalMs) return last.fault;
    const said = await this.#deps.commands.run(held.check, signal);
    const fault = said !== undefined && held.check.isSecret === true ? HIDDEN_FAULT : said;
    this.#checked.set(deployment, { hash: held.hash, at: now, fault });
    return fault;
  }
}
