import { symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { capiManager } from '#testing/capi';
import { EARLIER_PACKAGE, earlierPackage } from '#testing/earlier-package';
import { findHelm } from '#testing/helm';
import { startPostgres } from '#testing/postgres';
import { PACKAGE, SIMULATED_SOURCES } from '#testing/product';
import { RunClusters } from '../../testing/clusters/run-clusters.ts';
import { installSdk } from '../../testing/temporal/install-sdk.ts';
import { SHARED_SERVER, startSharedServer } from '../../testing/temporal/test-namespace.ts';
import { buildPackage } from '../build-package.ts';
import { ROOT } from '../repository.ts';
import { NEEDS, type Need, QUICK } from './needs.ts';

const POSTGRES_URL = 'FLEETSHIFT_TEST_POSTGRES_URL';

/**
 * One server of each kind for all test files, each started when a file of the run needs it. Missing programs are built
 * one after another, in the order of `NEEDS`, while tests that do not need them run.
 */
export class RunServers {
  readonly #log: (line: string) => void;
  readonly #stops = new AsyncDisposableStack();
  readonly #abort = new AbortController();
  readonly #clusters: RunClusters;
  readonly #ready = new Map<Need, Promise<void>>();
  readonly #environment: NodeJS.ProcessEnv = {};

  constructor(needs: readonly Need[], log: (line: string) => void) {
    this.#log = log;
    this.#clusters = new RunClusters(log);
    this.#stops.defer(() => this.#clusters.stop());
    let builds = Promise.resolve();
    for (const need of NEEDS.filter((known) => needs.includes(known))) {
      const before = QUICK.includes(need) ? undefined : builds;
      const ready = this.#prepare(need, before);
      // Awaited by the schedule, unless the run ends first.
      ready.catch(() => {});
      if (before !== undefined) builds = ready;
      this.#ready.set(need, ready);
    }
  }

  async ready(need: Need): Promise<void> {
    await this.#ready.get(need);
  }

  /** The addresses of the servers started so far. */
  environment(): NodeJS.ProcessEnv {
    return { ...this.#environment };
  }

  async stop(): Promise<void> {
    this.#abort.abort(new Error('the run of the tests has ended'));
    await Promise.allSettled(this.#ready.values());
    await this.#stops.disposeAsync();
  }

  async #prepare(need: Need, before: Promise<void> | undefined): Promise<void> {
    await before;
    this.#abort.signal.throwIfAborted();
    switch (need) {
      case 'postgres':
        return await this.#startPostgres();
      case 'package':
        return await this.#buildPackage();
      case 'earlierPackage':
        this.#environment[EARLIER_PACKAGE] = (await earlierPackage(this.#log)) ?? '';
        return;
      case 'temporalSdk':
        return await installSdk(this.#log);
      case 'apiserver':
      case 'controllers':
      case 'nodes':
        // Pods start the program from the package.
        await this.#ready.get('package');
        await this.#clusters.prepare(need, this.#abort.signal);
        Object.assign(this.#environment, await this.#clusters.environment());
        return;
      case 'temporal':
        return await this.#startTemporal();
      case 'helm':
        await findHelm({ log: this.#log });
        return;
      case 'capi':
        await capiManager(this.#log);
        return;
    }
  }

  async #startPostgres(): Promise<void> {
    if (process.env[POSTGRES_URL]) return;
    const server = await startPostgres({ log: this.#log });
    this.#stops.defer(() => server.stop());
    this.#environment[POSTGRES_URL] = server.url;
  }

  async #buildPackage(): Promise<void> {
    const folder = join(tmpdir(), 'package');
    await buildPackage(folder, this.#abort.signal, {
      'serve-simulated': fileURLToPath(SIMULATED_SOURCES),
    });
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    this.#environment[PACKAGE] = folder;
    process.env[PACKAGE] = folder;
  }

  async #startTemporal(): Promise<void> {
    const server = await startSharedServer(this.#log);
    if (server === undefined) return;
    this.#stops.defer(() => server.stop());
    const { address, http } = server;
    this.#environment[SHARED_SERVER] = JSON.stringify({ address, http });
  }
}
