import { FakeClock } from '#testing/fake-clock';
import { PATIENCE_MS } from '#testing/patience';
import { Attempts } from '../application/attempts.ts';
import { ClusterReconciler } from '../application/cluster-reconciler.ts';
import { KnownVersions } from '../application/known-versions.ts';
import { Outcomes } from '../application/outcomes.ts';
import type { Next } from '../application/ports.ts';
import { Pruning } from '../application/pruning.ts';
import { Schedule } from '../application/schedule.ts';
import { SetReconciler } from '../application/set-reconciler.ts';
import { FakeManagement } from './fake-management.ts';
import { FakeWorkload } from './fake-workload.ts';

/** Both reconcilers over fakes; the test decides when they run. */
export class Reconcilers {
  readonly management = new FakeManagement();
  readonly workload = new FakeWorkload();
  readonly outcomes = new Outcomes();
  readonly clock = new FakeClock();
  readonly woken: string[] = [];
  readonly repaired: string[] = [];
  /** The waits of passes for more work. */
  readonly waits: number[] = [];
  /** Called while a pass waits for more work. */
  whileWaiting: () => void = () => undefined;
  readonly #sets: SetReconciler;
  readonly #clusters: ClusterReconciler;
  readonly #attempts = new Attempts({ clock: this.clock, random: () => 1 - Number.EPSILON });
  readonly #versions = new KnownVersions();

  constructor() {
    const { management, workload, outcomes, clock } = this;
    const { sets, clusters, bindings, resources, inventories } = management;
    const attempts = this.#attempts;
    const shared = { sets, clusters, bindings, resources, inventories, outcomes, attempts, clock };
    this.#sets = new SetReconciler({ ...shared, wakeCluster: ({ name }) => this.woken.push(`cluster ${name}`) });
    this.#clusters = new ClusterReconciler({
      ...shared,
      workloads: workload,
      versions: this.#versions,
      repairs: new Schedule({ clock, random: () => 1 - Number.EPSILON }),
      pruning: new Pruning({ inventories, resources, attempts }),
      repaired: ({ set }, { resource }) => this.repaired.push(`${set.name} ${resource.name}`),
      wakeSet: ({ name }) => this.woken.push(`set ${name}`),
      sleep: async (ms) => {
        this.waits.push(ms);
        this.whileWaiting();
      },
      settleMs: 25,
      width: 2,
    });
  }

  /** The cluster is reached in a different way. */
  reached(name = 'a'): void {
    this.#attempts.forget(`fleet/${name}`);
    this.#versions.forget(`fleet/${name}`);
  }

  async set(name = 'web'): Promise<Next> {
    return await this.#sets.reconcile({ namespace: 'fleet', name }, AbortSignal.timeout(PATIENCE_MS));
  }

  async cluster(name = 'a'): Promise<Next> {
    return await this.#clusters.reconcile({ namespace: 'fleet', name }, AbortSignal.timeout(PATIENCE_MS));
  }

  /** The resources of each set, and whether they are applied. */
  entries(cluster = 'a') {
    const binding = this.management.bindingsByName.get(cluster);
    return binding?.entries.map(({ setName, resources }) => [
      setName,
      ...resources.map(({ name, applied, hash }) => `${name} ${applied} ${hash ?? '-'}`),
    ]);
  }

  verdict(set = 'web') {
    const { conditions = [] } = this.management.setsByName.get(set)?.status ?? {};
    const condition = conditions.find(({ type }) => type === 'ResourcesApplied');
    return condition && `${condition.status} ${condition.reason}: ${condition.message}`;
  }
}
