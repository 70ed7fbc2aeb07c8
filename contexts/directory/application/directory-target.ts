import { Mutex, type Uuid } from '#kit/std';
import {
  type AgentAcknowledgement,
  type DeliverOrder,
  type DeliveryOrder,
  type DeliveryReport,
  type Document,
  type Holding,
  type Inventory,
  type OrderKey,
  type PreviewAnswer,
  whySuperseded,
} from '#protocol/delivery';
import type { TargetRef } from '#protocol/targets';
import { describeChange } from '../domain/describe-change.ts';
import { type Desired, type DesiredFile, desiredFiles, type HealthCheck } from '../domain/desired-file.ts';
import { type DeploymentRecord, isDone, type OwnedFile, seenOf, verdictOf } from '../domain/order.ts';
import { type ApplyDeps, applyFiles, type HashedFile, planFor } from './apply-files.ts';
import { HealthMonitor } from './health-monitor.ts';
import type { CommandRunner } from './ports.ts';

export interface DirectoryTargetDeps extends ApplyDeps {
  readonly target: TargetRef;
  readonly commands: CommandRunner;
  readonly allowsCommands: boolean;
  readonly render: (document: Document) => string;
  readonly sha256: (content: Uint8Array) => string;
  readonly report: (report: DeliveryReport) => void;
  readonly now: () => number;
}

/** One folder. All changes to it are serialized. */
export class DirectoryTarget {
  readonly #deps: DirectoryTargetDeps;
  readonly #health: HealthMonitor;
  readonly #mutex = new Mutex();

  constructor(deps: DirectoryTargetDeps) {
    this.#deps = deps;
    this.#health = new HealthMonitor(deps);
  }

  get ref(): TargetRef {
    return this.#deps.target;
  }

  async dispatch(order: DeliveryOrder, signal: AbortSignal): Promise<AgentAcknowledgement> {
    signal.throwIfAborted();
    return await this.#mutex.run(async () => await this.#take(order, signal), signal);
  }

  /** Drops an order that has not been started. */
  async cancel({ deployment, revision }: OrderKey, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.#mutex.run(async () => {
      const record = this.#deps.records.find(deployment);
      if (record?.work?.revision === revision) await this.#deps.records.save({ ...record, work: undefined }, signal);
    }, signal);
  }

  async preview(order: DeliveryOrder, signal: AbortSignal): Promise<PreviewAnswer> {
    signal.throwIfAborted();
    const record = this.#deps.records.find(order.deployment) ?? newRecord(order);
    const desired = order.kind === 'remove' ? NOTHING : this.#desired(order);
    if (desired.kind === 'fault') return { kind: 'wouldReject', message: desired.message, changes: [] };
    const plan = await planFor(this.#deps, { record, desired: this.#hashed(desired) }, signal);
    if (plan.kind === 'conflict') return { kind: 'wouldReject', message: plan.message, changes: [] };
    const changes: string[] = [];
    for (const file of plan.writes) {
      const { path, content } = file;
      const before = await this.#deps.folder.read(path, signal);
      const isShown = before === undefined || this.#mayShow(file, record.files[path], before);
      changes.push(...describeChange(path, { before, after: content, isShown }));
    }
    for (const path of plan.removals)
      changes.push(...describeChange(path, { before: new Uint8Array(), after: undefined, isShown: false }));
    return { kind: 'wouldApply', message: '', changes };
  }

  async inventory(signal: AbortSignal): Promise<Inventory> {
    const { target, records } = this.#deps;
    return await this.#mutex.run(async () => {
      const holdings: Holding[] = [];
      for (const { deployment, held } of records.all()) {
        if (held === undefined) continue;
        const { health, message } = await this.#health.look(deployment, signal);
        holdings.push({ deployment, revision: held.revision, hash: held.hash, health, message });
      }
      return { target: target.id, instance: records.instance, holdings };
    }, signal);
  }

  /** Whether there was work to do. */
  async work(signal: AbortSignal): Promise<boolean> {
    const next = this.#deps.records.all().find(({ work }) => work !== undefined);
    if (next === undefined) return false;
    await this.#mutex.run(async () => await this.#carryOut(next.deployment, signal), signal);
    return true;
  }

  /** Reports the state of all deployments whose state has changed since the last report. */
  async look(signal: AbortSignal): Promise<void> {
    for (const { deployment } of this.#deps.records.all()) {
      await this.#mutex.run(async () => await this.#health.report(deployment, { signal, isForced: false }), signal);
    }
  }

  async #take(order: DeliveryOrder, signal: AbortSignal): Promise<AgentAcknowledgement> {
    const { records } = this.#deps;
    const record = records.find(order.deployment);
    const superseded = whySuperseded(record?.seen.origin, order.origin);
    if (superseded !== undefined) return { kind: 'rejected', message: superseded };
    const verdict = verdictOf(record, order);
    if (verdict === 'fenced') return { kind: 'fenced', seen: record?.seen.revision ?? 0 };
    // An order without an origin leaves the one that was obeyed.
    const { origin = record?.seen.origin, ...asked } = seenOf(order);
    const seen = { ...asked, ...(origin !== undefined && { origin }) };
    const kept = { ...(record ?? newRecord(order)), seen };
    const desired = order.kind === 'remove' ? NOTHING : this.#desired(order);
    if (desired.kind === 'fault') {
      await records.save({ ...kept, work: undefined }, signal);
      return { kind: 'rejected', message: desired.message };
    }
    if (verdict === 'again' && isDone(record, order)) {
      await this.#reportAgain(order, signal);
      return { kind: 'accepted' };
    }
    const { target: _, ...work } = order;
    await records.save({ ...kept, work }, signal);
    return { kind: 'accepted' };
  }

  async #reportAgain(order: DeliveryOrder, signal: AbortSignal): Promise<void> {
    this.#report(order, order.kind === 'remove' ? { kind: 'removed' } : { kind: 'applied', hash: order.hash });
    if (order.kind === 'deliver') await this.#health.report(order.deployment, { signal, isForced: true });
  }

  async #carryOut(deployment: Uuid, signal: AbortSignal): Promise<void> {
    const { records, target } = this.#deps;
    const record = records.find(deployment);
    // Cancelled or completed meanwhile.
    if (record?.work === undefined) return;
    const order = { ...record.work, target } as DeliveryOrder;
    try {
      const desired = order.kind === 'remove' ? NOTHING : this.#desired(order);
      if (desired.kind === 'fault') return await this.#giveUp(order, desired.message, signal);
      const { conflict, files } = await applyFiles(this.#deps, { record, desired: this.#hashed(desired) }, signal);
      if (conflict !== undefined) return await this.#giveUp(order, conflict, signal);
      const held =
        order.kind === 'remove' ? undefined : { revision: order.revision, hash: order.hash, check: desired.check };
      await records.save({ ...record, files, held, work: undefined }, signal);
      await this.#reportAgain(order, signal);
    } catch (error) {
      // After an abort the work continues at the next start.
      signal.throwIfAborted();
      await this.#giveUp(order, error instanceof Error ? error.message : String(error), signal);
    }
  }

  async #giveUp(order: DeliveryOrder, message: string, signal: AbortSignal): Promise<void> {
    // Report first: a full disk takes no record either. Work that stays recorded is retried.
    this.#report(order, { kind: 'failed', message });
    const record = this.#deps.records.find(order.deployment);
    if (record !== undefined) await this.#deps.records.save({ ...record, work: undefined }, signal);
  }

  #desired({ documents, namespace, secretPlaces }: DeliverOrder): Desired {
    const { allowsCommands, render } = this.#deps;
    return desiredFiles(documents, { namespace, allowsCommands, render, secretPlaces });
  }

  /** Shows only content that a deployment wrote, that is not secret, and that has not been changed since. */
  #mayShow({ isSecret }: DesiredFile, owned: OwnedFile | undefined, before: Uint8Array): boolean {
    return !isSecret && owned?.isSecret === false && owned.sha256 === this.#deps.sha256(before);
  }

  #hashed({ files }: Desired & { kind: 'desired' }): HashedFile[] {
    return files.map((file) => ({ ...file, sha256: this.#deps.sha256(file.content) }));
  }

  #report({ deployment, revision }: Omit<OrderKey, 'target'>, outcome: ReportedOutcome): void {
    this.#deps.report({ target: this.#deps.target.id, deployment, revision, ...outcome });
  }
}

type ReportedOutcome = { kind: 'removed' } | { kind: 'applied'; hash: string } | { kind: 'failed'; message: string };

const NOTHING = { kind: 'desired', files: [], check: undefined as HealthCheck | undefined } as const;

function newRecord(order: DeliveryOrder): DeploymentRecord {
  return { deployment: order.deployment, seen: seenOf(order), files: {}, held: undefined, work: undefined };
}
