import type { Observation } from '#contexts/proxied-clusters';
import type { ProxiedClusters, ServableCluster } from '#contexts/proxied-clusters/adapters';
import { type Clock, Notifier, type Sleep } from '#kit/std';
import type { Storage } from '#kit/storage';
import { LeaseError } from '#kit/storage/leases';
import type { Logger } from '#kit/telemetry';
import type { ClusterState } from '#runtime/cluster-agent/clusters/cluster-state';

export interface ObservationsDeps {
  readonly clusters: Pick<ProxiedClusters, 'observe'>;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly log: Logger;
}

interface Note {
  readonly leading: Pick<Storage, 'commit'>;
  readonly cluster: ServableCluster;
  readonly observed: Observation;
}

const LOOK_MS = 60_000;
const RETRY_MS = 1_000;

/** Stores the status of clusters. If changes come faster than they can be written, the last one counts. */
export class Observations {
  readonly #deps: ObservationsDeps;
  readonly #wake: Notifier;
  readonly #waiting = new Map<string, Note>();

  constructor(deps: ObservationsDeps) {
    this.#deps = deps;
    this.#wake = new Notifier(deps.sleep);
  }

  /** `leading` is the storage of the share that the cluster is in. */
  note(leading: Pick<Storage, 'commit'>, cluster: ServableCluster, state: ClusterState): void {
    const observed = observationOf(state, this.#deps.clock.now());
    if (observed === undefined) return;
    this.#waiting.set(cluster.target, { leading, cluster, observed });
    this.#wake.notify();
  }

  async run(signal: AbortSignal): Promise<void> {
    const { sleep, log } = this.#deps;
    while (!signal.aborted) {
      try {
        await this.#flush(signal);
        await this.#wake.wait(LOOK_MS, signal);
      } catch (err) {
        if (signal.aborted) return;
        log.warn({ err, retryInMs: RETRY_MS }, 'cluster status not saved; retrying');
        await sleep(RETRY_MS, signal).catch(() => {});
      }
    }
  }

  async #flush(signal: AbortSignal): Promise<void> {
    for (const [target, note] of this.#waiting) {
      try {
        await this.#deps.clusters.observe(note.leading, note, signal);
      } catch (error) {
        // Another replica serves the cluster now, and observes it.
        if (!(error instanceof LeaseError)) throw error;
      }
      if (this.#waiting.get(target) === note) this.#waiting.delete(target);
    }
  }
}

/** There is no status to report while the connection is being made. */
function observationOf(state: ClusterState, time: number): Observation | undefined {
  switch (state.kind) {
    case 'Connecting':
    case 'Registering':
      return undefined;
    case 'Serving':
    case 'StandingBy': {
      const { instance: clusterUid, version: clusterVersion } = state.cluster;
      const message = state.kind === 'Serving' ? '' : state.message;
      return { state: state.kind, message, clusterUid, clusterVersion, time };
    }
    case 'Unreachable':
    case 'Refused':
      return { state: state.kind, message: state.message, clusterUid: undefined, clusterVersion: undefined, time };
  }
}
