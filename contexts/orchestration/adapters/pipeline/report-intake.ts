import { setTimeout as pause } from 'node:timers/promises';
import { type Clock, sleep, unlessAborted, Wake } from '#kit/std';
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

/** Where agents' words arrive. Each resolves once they are on disk, with all that follows from them. */
export interface ReportIntake {
  report(reports: readonly DeliveryReport[], signal: AbortSignal): Promise<void>;
  inventory(inventory: Inventory, signal: AbortSignal): Promise<void>;
  connectionChanged(
    changes: readonly { readonly target: TargetId; readonly isOnline: boolean }[],
    signal: AbortSignal,
  ): Promise<void>;
  handOver(handover: Handover, signal: AbortSignal): Promise<void>;
}

/** News that are written together. */
const TOGETHER = 1_000;
/** News that wait. Past this, whoever brings more waits with them. */
const WAITING = 20_000;
const WRITE_MS = 30_000;
/**
 * What comes first waits so long for what comes with it. The answers of a hundred agents arrive within a moment of each
 * other; without this the first of them would be written alone, and all others wait for that.
 */
const GATHER_MS = 2;
/** So many have been gathered by whoever brings them. */
const GATHERED = 50;
/**
 * That an agent merely has something waits so long: mostly it is overtaken by the word that it was applied, and then there
 * is nothing to write. It holds up nobody, and what was not written down is sent once more after a crash.
 */
const PATIENCE_MS = 200;
/** That wait has an end of its own. */
const NEVER = new AbortController().signal;

/**
 * One write at a time: while it goes on, what comes is the next. The busier it is, the more share a commit, and nobody
 * waits for more than the one that is under way.
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
  /** By the clock of the process. */
  readonly since: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

class Collector {
  readonly #deps: ReportIntakeDeps;
  readonly #urgent = new Wake(sleep);
  #waiting: Waiting[] = [];
  /** In the order in which they came. */
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
    if (this.#waiting.length > 0) this.#urgent.raise();
    // Whoever writes is one of those who wait for what is written.
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

  /** Until there is something to write: something urgent, or patience is at an end. */
  async #gather(): Promise<void> {
    const end = (this.#patient[0]?.since ?? 0) + PATIENCE_MS;
    if (this.#waiting.length === 0) await this.#urgent.wait(end - performance.now(), NEVER);
    const size = this.#waiting.reduce((sum, { news }) => sum + news.length, 0);
    if (size > 0 && size < GATHERED) await pause(GATHER_MS);
  }

  /** Together; and when that does not work, each alone, so that one that cannot be written harms no other. */
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
    // Whoever brought some may be gone; the others have not asked to be dropped.
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

  /** Those that were overtaken, and those whose patience is at an end. */
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
