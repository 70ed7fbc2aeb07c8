import { createKubeClient, isKubeError, type KubeClient, KubeError, type RequestReport } from '#kit/kube';
import { type Clock, unlessAborted } from '#kit/std';
import { unreachable, type WorkloadAccess } from './workload-access.ts';

export interface ConnectionDeps {
  readonly access: WorkloadAccess;
  readonly userAgent: string;
  /** Monotonic. */
  readonly clock: Clock;
  readonly probeTimeoutMs: number;
  readonly observe: (report: RequestReport) => void;
  /** Called when the cluster no longer accepts our credentials, so that it is probed at once. */
  readonly refused: () => void;
}

/** Number of consecutive failed probes after which the cluster counts as unreachable. */
const FAILURES = 5;

type State = { readonly kind: 'up' } | { readonly kind: 'down'; readonly why: string };

/** One client of one workload cluster, and whether the cluster answers. */
export class WorkloadConnection {
  readonly client: KubeClient;
  readonly fingerprint: string;
  readonly #deps: ConnectionDeps;
  /** The first probe; concurrent callers wait for it. */
  readonly #opened: Promise<boolean>;
  #state: State | undefined;
  #failures = 0;
  #askedAt: number;
  #answeredAt = Number.NEGATIVE_INFINITY;

  constructor(deps: ConnectionDeps) {
    const { access, userAgent, clock } = deps;
    this.#deps = deps;
    this.fingerprint = access.fingerprint;
    this.client = createKubeClient({
      config: access.config,
      userAgent,
      observe: (report) => this.#reported(report),
    });
    this.#askedAt = clock.now();
    this.#opened = this.probe();
  }

  /** When the client was last requested, and when the cluster last answered. */
  get askedAt(): number {
    return this.#askedAt;
  }
  get answeredAt(): number {
    return this.#answeredAt;
  }
  get isUp(): boolean {
    return this.#state?.kind === 'up';
  }

  /** Throws `WORKLOAD_UNREACHABLE` at once if the cluster is known to be unreachable. */
  async ready(signal: AbortSignal): Promise<KubeClient> {
    this.#askedAt = this.#deps.clock.now();
    if (this.#state === undefined) await unlessAborted(this.#opened, signal);
    if (this.#state?.kind === 'down') throw unreachable(this.#state.why);
    return this.client;
  }

  /** Probes the cluster; never throws. Returns true if the cluster is back after a failure. */
  async probe(): Promise<boolean> {
    const why = await this.#whyAway();
    if (why === undefined) {
      const hadTrouble = this.#failures > 0;
      this.#failures = 0;
      this.#state = { kind: 'up' };
      return hadTrouble;
    }
    this.#failures += 1;
    // A cluster that has never answered, or that refuses us, counts as down at once.
    if (this.#state === undefined || why.isFinal || this.#failures >= FAILURES) {
      this.#state = { kind: 'down', why: why.text };
    }
    return false;
  }

  async #whyAway(): Promise<{ readonly text: string; readonly isFinal: boolean } | undefined> {
    const signal = AbortSignal.timeout(this.#deps.probeTimeoutMs);
    try {
      await this.client.withPriority('high').request({ method: 'GET', path: '/version' }, signal);
      return undefined;
    } catch (error) {
      // A 403 means that the server knows us, although we may not read the version.
      if (isKubeError(error, 'FORBIDDEN')) return undefined;
      if (isKubeError(error, 'UNAUTHORIZED')) {
        return { text: 'it does not accept our credentials (UNAUTHORIZED)', isFinal: true };
      }
      return { text: wordOf(error), isFinal: false };
    }
  }

  #reported(report: RequestReport): void {
    this.#deps.observe(report);
    if (report.code === '<error>') return;
    this.#answeredAt = this.#deps.clock.now();
    if (report.code === '401' && this.#state?.kind === 'up') this.#deps.refused();
  }
}

/** Only the code: addresses and times would change the condition although the problem is the same. */
function wordOf(error: unknown): string {
  if (error instanceof KubeError) return error.code;
  return error instanceof DOMException && error.name === 'TimeoutError' ? 'TIMED_OUT' : 'request failed';
}
