import { setTimeout as delay } from 'node:timers/promises';
import type { ContainerExit, ContainerProcess } from './container-process.ts';
import type { Container, Probe } from './pod.ts';

export interface ContainerRunDeps {
  readonly container: Container;
  readonly restarts: 'Always' | 'OnFailure' | 'Never';
  /** Starts a new process for the container. */
  readonly launch: (signal: AbortSignal) => Promise<ContainerProcess>;
  readonly probe: (probe: Probe, signal: AbortSignal) => Promise<boolean>;
  /** Called when the status has changed. */
  readonly changed: () => void;
  /** The time the container has to end. */
  readonly graceMs: () => number;
}

// DECISION: a kubelet waits 10 s after a crash, and by default 10 s between probes. These delays are shorter, because
// tests wait for the outcome; the order of events is the same.
const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 10_000;
const EAGER_MS = 100;
const LONGEST_PERIOD_MS = 1_000;

/** The life of one container, from its first start to the end defined by its Pod's restart policy. */
export class ContainerRun {
  readonly #deps: ContainerRunDeps;
  #state: object = { waiting: { reason: 'ContainerCreating' } };
  #lastState: object = {};
  #ready = false;
  #started = false;
  #restartCount = 0;
  #exit: ContainerExit | undefined;

  constructor(deps: ContainerRunDeps) {
    this.#deps = deps;
  }

  /** The container's entry in the Pod's status. */
  get status(): object {
    const { name, image } = this.#deps.container;
    return {
      name,
      image,
      imageID: '',
      started: this.#started,
      ready: this.#ready,
      restartCount: this.#restartCount,
      state: this.#state,
      lastState: this.#lastState,
    };
  }

  get isReady(): boolean {
    return this.#ready;
  }

  /** Its final exit. */
  get exit(): ContainerExit | undefined {
    return this.#exit;
  }

  /** Resolves when the container has ended for good. The signal tells it to end. */
  async run(signal: AbortSignal): Promise<void> {
    let backoff = FIRST_BACKOFF_MS;
    while (!signal.aborted) {
      const exit = await this.#runOnce(signal);
      if (exit && (signal.aborted || !this.#restartsAfter(exit))) return this.#end(exit);
      await delay(backoff, undefined, { signal }).catch(() => {});
      backoff = Math.min(2 * backoff, LONGEST_BACKOFF_MS);
      if (exit) this.#restartCount += 1;
    }
  }

  async #runOnce(signal: AbortSignal): Promise<ContainerExit | undefined> {
    let process: ContainerProcess;
    try {
      process = await this.#deps.launch(signal);
    } catch (error) {
      this.#wait('CreateContainerConfigError', error instanceof Error ? error.message : String(error));
      return undefined;
    }
    const stop = (): void => {
      process.stop('SIGTERM', this.#deps.graceMs()).catch(() => {});
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    this.#set({ state: { running: { startedAt: process.startedAt } } });
    const probing = new AbortController();
    const probes = this.#probe(stop, probing.signal);
    const exit = await process.ended;
    probing.abort();
    await probes;
    signal.removeEventListener('abort', stop);
    this.#lastState = { terminated: terminated(exit) };
    if (!signal.aborted && this.#restartsAfter(exit)) this.#wait('CrashLoopBackOff', 'the container ended');
    return exit;
  }

  #restartsAfter({ exitCode }: ContainerExit): boolean {
    const { restarts } = this.#deps;
    return restarts === 'Always' || (restarts === 'OnFailure' && exitCode !== 0);
  }

  async #probe(stop: () => void, signal: AbortSignal): Promise<void> {
    const { startupProbe, readinessProbe, livenessProbe } = this.#deps.container;
    try {
      if (startupProbe) await this.#untilFirst(startupProbe, stop, signal);
      this.#set({ started: true, ready: readinessProbe === undefined });
      await Promise.all([
        readinessProbe &&
          this.#repeat(readinessProbe, signal, (passes) => passes !== this.#ready && this.#set({ ready: passes })),
        livenessProbe && this.#live(livenessProbe, stop, signal),
      ]);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async #untilFirst(probe: Probe, stop: () => void, signal: AbortSignal): Promise<void> {
    const patience = (probe.failureThreshold ?? 3) * periodOf(probe);
    const deadline = performance.now() + patience;
    while (!(await this.#deps.probe(probe, signal))) {
      if (performance.now() > deadline) stop();
      await delay(EAGER_MS, undefined, { signal });
    }
  }

  async #live(probe: Probe, stop: () => void, signal: AbortSignal): Promise<void> {
    await delay((probe.initialDelaySeconds ?? 0) * 1_000, undefined, { signal });
    let failures = 0;
    await this.#repeat(probe, signal, (passes) => {
      failures = passes ? 0 : failures + 1;
      if (failures >= (probe.failureThreshold ?? 3)) stop();
    });
  }

  async #repeat(probe: Probe, signal: AbortSignal, tell: (passes: boolean) => unknown): Promise<void> {
    for (;;) {
      const passes = await this.#deps.probe(probe, signal);
      signal.throwIfAborted();
      tell(passes);
      // Probes frequently until readiness passes, so that tests wait no longer than the program needs. Failures of a
      // running container count at its own period.
      const eager = !passes && probe === this.#deps.container.readinessProbe;
      await delay(eager ? EAGER_MS : periodOf(probe), undefined, { signal });
    }
  }

  #wait(reason: string, message: string): void {
    this.#set({ state: { waiting: { reason, message } }, ready: false, started: false });
  }

  #end(exit: ContainerExit): void {
    this.#exit = exit;
    this.#lastState = {};
    this.#set({ state: { terminated: terminated(exit) }, ready: false, started: false });
  }

  #set({ state, ready, started }: { state?: object; ready?: boolean; started?: boolean }): void {
    this.#state = state ?? this.#state;
    this.#ready = ready ?? this.#ready;
    this.#started = started ?? this.#started;
    this.#deps.changed();
  }
}

function periodOf({ periodSeconds = 10 }: Probe): number {
  return Math.min(periodSeconds * 1_000, LONGEST_PERIOD_MS);
}

function terminated(exit: ContainerExit): object {
  return { ...exit, reason: exit.exitCode === 0 ? 'Completed' : 'Error' };
}
