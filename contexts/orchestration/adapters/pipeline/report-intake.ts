import { setTimeout as pause } from 'node:timers/promises';
import { type Clock, Notifier, sleep, unlessAborted } from '#kit/std';
import type { DeliveryReport, Inventory } from '#protocol/delivery';
import type { TargetId } from '#protocol/targets';
import { type Handover, type News, takeReports } from '../../application/pipeline/take-reports.ts';
import type { UnitOfWork, Units } from '../../application/ports.ts';
import type { DeploymentId } from '../../domain/deployment/deployment.ts';

export interface ReportIntakeDeps {
  readonly units: Units;
  readonly clock: Clock;
  /** When the platform was restored from a backup, if it was. */
  readonly restoredAt?: number | undefined;
}

/** Takes the reports of agents. Each call resolves once they and all their effects are on disk. */
export interface ReportIntake {
  report(reports: readonly DeliveryReport[], signal: AbortSignal): Promise<void>;
  inventory(inventory: Inventory, signal: AbortSignal): Promise<void>;
  connectionChanged(
    changes: readonly { readonly target: TargetId; readonly isOnline: boolean }[],
    signal: AbortSignal,
  ): Promise<void>;
  handOver(handover: Handover, signal: AbortSignal): Promise<void>;
}

/** Most news that are written together. */
const TOGETHER = 1_000;
/** Most news that may wait. Beyond this, callers that bring more have to wait. */
const WAITING = 20_000;
const WRITE_MS = 30_000;
/**
 * How long the first news waits for others. The answers of a hundred agents arrive within a moment of each other; without
 * this delay the first would be written alone, while all others wait.
 */
const GATHER_MS = 2;
/** With this many news there is no need to wait for more. */
const GATHERED = 50;
/**
 * How long an acceptance waits: usually the report that the content was applied arrives first, and then there is nothing
 * to write. Nothing depends on it, and an acceptance lost in a crash only means that the order is sent again.
 */
const PATIENCE_MS = 200;
/** This wait ends by itself. */
const NEVER = new AbortController().signal;

/**
 * One write at a time; news that arrive meanwhile go into the next one. Under load more news share a commit, and none
 * waits for more than the write under way and its own.
 */
export function createReportIntake(deps: ReportIntakeDeps): ReportIntake {
  const collector = new Collector(deps);
  return {
    report: (reports, signal) =>
      collector.add(
        reports.map((report) => ({ about: 'report', report })),
        signal,
      ),
    inventory: (inventory, signal) => collector.add([{ about: 'inventory', inventory }], signal),
    connectionChanged: (changes, signal) =>
      collector.add(
        changes.map((change) => ({ about: 'connection', ...change })),
        signal,
      ),
    handOver: (handover, signal) => collector.add([{ about: 'handover', handover }], signal),
  };
}

interface Waiting {
  readonly news: readonly News[];
  /** By the monotonic clock of the process. */
  readonly since: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

class Collector {
  readonly #deps: ReportIntakeDeps;
  readonly #urgent = new Notifier(sleep);
  #waiting: Waiting[] = [];
  /** In order of arrival. */
  #patient: Waiting[] = [];
  #size = 0;
  #isWriting = false;
  #room = Promise.withResolvers<void>();

  constructor(deps: ReportIntakeDeps) {
    this.#deps = deps;
  }

  async add(news: readonly News[], signal: AbortSignal): Promise<void> {
    while (this.#size >= WAITING) await unlessAborted(this.#room.promise, signal);
    signal.throwIfAborted();
    if (news.length === 0) return;
    const written = new Promise<void>((resolve, reject) => {
      const waiting = { news, since: performance.now(), resolve, reject };
      if (news.every(isPatient)) this.#patient.push(waiting);
      else this.#waiting.push(waiting);
    });
    this.#size += news.length;
    if (this.#waiting.length > 0) this.#urgent.notify();
    // The first waiting caller also does the writing.
    await (this.#isWriting ? written : Promise.all([written, this.#write()]));
  }

  async #write(): Promise<void> {
    this.#isWriting = true;
    while (this.#size > 0) {
      await this.#gather();
      const taken = this.#take();
      if (taken.length > 0) await this.#writeAll(taken);
      this.#room.resolve();
      this.#room = Promise.withResolvers();
    }
    this.#isWriting = false;
  }

  /** Waits until there is something to write: urgent news, or an acceptance that has waited long enough. */
  async #gather(): Promise<void> {
    const end = (this.#patient[0]?.since ?? 0) + PATIENCE_MS;
    if (this.#waiting.length === 0) await this.#urgent.wait(end - performance.now(), NEVER);
    const size = this.#waiting.reduce((sum, { news }) => sum + news.length, 0);
    if (size > 0 && size < GATHERED) await pause(GATHER_MS);
  }

  /** Writes all together; if that fails, each alone, so that one that cannot be written does not affect the others. */
  async #writeAll(taken: readonly Waiting[]): Promise<void> {
    try {
      await this.#writeNews(taken.flatMap(({ news }) => news));
      for (const { resolve } of taken) resolve();
    } catch (error) {
      const [only, ...others] = taken;
      if (others.length === 0) only?.reject(error);
      else for (const each of taken) await this.#writeAll([each]);
    }
  }

  async #writeNews(news: readonly News[]): Promise<void> {
    // A caller may be gone, but its abort must not drop the news of the others.
    const signal = AbortSignal.timeout(WRITE_MS);
    const { units, clock, restoredAt } = this.#deps;
    const take = (unit: UnitOfWork) => takeReports(unit, { news, now: clock.now(), restoredAt }, signal);
    await units.writeOf([...new Set(news.flatMap(deploymentIn))], take, signal);
  }

  #take(): readonly Waiting[] {
    let count = 0;
    let size = 0;
    while (count < this.#waiting.length && (count === 0 || size < TOGETHER)) {
      size += this.#waiting[count]?.news.length ?? 0;
      count += 1;
    }
    const urgent = this.#waiting.splice(0, count);
    const taken = [...this.#takePatient(urgent), ...urgent];
    this.#size -= taken.reduce((sum, { news }) => sum + news.length, 0);
    return taken;
  }

  /** Acceptances followed by a report, and those that have waited long enough. */
  #takePatient(urgent: readonly Waiting[]): readonly Waiting[] {
    const late = performance.now() - PATIENCE_MS;
    const told = new Set(urgent.flatMap(({ news }) => news.flatMap(rowOf)));
    const isDue = ({ news, since }: Waiting) => since <= late || news.flatMap(rowOf).some((row) => told.has(row));
    const { due = [], rest = [] } = Object.groupBy(this.#patient, (each) => (isDue(each) ? 'due' : 'rest'));
    this.#patient = rest;
    return due;
  }
}

function rowOf(news: News): readonly string[] {
  if (news.about === 'report') return [`${news.report.deployment} ${news.report.target}`];
  return news.about === 'handover' ? [`${news.handover.deployment} ${news.handover.target}`] : [];
}

function isPatient(news: News): boolean {
  return news.about === 'handover' && news.handover.kind === 'accepted';
}

function deploymentIn(news: News): readonly DeploymentId[] {
  if (news.about === 'report') return [news.report.deployment];
  return news.about === 'handover' ? [news.handover.deployment] : [];
}
