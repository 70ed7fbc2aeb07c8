import { callHost, type HostProcess, startHostProcess } from './host-calls.ts';
import { type ClusterSize, whyUnavailable } from './programs.ts';

/**
 * Tells test processes where the host of the run's clusters listens. Empty: clusters are not available, and the log says
 * why.
 */
export const CLUSTERS = 'FLEETSHIFT_TEST_CLUSTERS';

/** The clusters of a run. Their host starts with the first size prepared; each cluster starts on first use. */
export class RunClusters {
  readonly #log: (line: string) => void;
  #host: Promise<HostProcess> | undefined;

  constructor(log: (line: string) => void) {
    this.#log = log;
  }

  /** Finds or builds the programs of clusters of this size. Returns false, after a log line, where they are not available. */
  async prepare(size: ClusterSize, signal: AbortSignal): Promise<boolean> {
    const why = whyUnavailable(size, process.env);
    if (why !== undefined) {
      this.#log(skippedLine([size], why));
      return false;
    }
    this.#host ??= startHostProcess(process.env);
    const { socket } = await this.#host;
    await callHost(socket, { do: 'prepare', size }, signal);
    return true;
  }

  async environment(): Promise<NodeJS.ProcessEnv> {
    return { [CLUSTERS]: (await this.#host)?.socket ?? '' };
  }

  async stop(): Promise<void> {
    await (await this.#host)?.stop();
  }
}

/** The log line that names the skipped tests. */
export function skippedLine(sizes: readonly ClusterSize[], why: string): string {
  return `SKIPPED: nothing is tested on real clusters of size ${sizes.join(', ')}, since ${why}`;
}
