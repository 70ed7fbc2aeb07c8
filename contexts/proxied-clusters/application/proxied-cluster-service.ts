import { checkTarget, type ProxiedCluster, withKubeconfig } from '../domain/proxied-cluster.ts';
import { kubeconfigNotFound, unusable } from '../domain/proxied-cluster-error.ts';
import type { AddressRules, ClusterView, FlatKubeconfig, KubeconfigReader, UnitOfWork, Vault } from './ports.ts';

export interface ProxiedClusterServiceDeps {
  readonly kubeconfigs: KubeconfigReader;
  readonly addresses: AddressRules;
  readonly vault: Vault;
}

export interface PutKubeconfig {
  readonly target: string;
  readonly kubeconfig: FlatKubeconfig;
  readonly now: number;
  /** Receives the previous state, if there was one. */
  readonly before: (cluster: ProxiedCluster) => void;
}

export type RemoveKubeconfig = Pick<PutKubeconfig, 'target' | 'now' | 'before'>;

/** The operations on stored kubeconfigs. */
export class ProxiedClusterService {
  readonly #deps: ProxiedClusterServiceDeps;

  constructor(deps: ProxiedClusterServiceDeps) {
    this.#deps = deps;
  }

  /** Throws if the target cannot have a kubeconfig. */
  async checkTarget({ targets }: Pick<ClusterView, 'targets'>, name: string, signal: AbortSignal): Promise<void> {
    checkTarget(await targets.require(name, signal));
  }

  /** Reads one context of a kubeconfig, if the platform may use it. Resolves names, so it must run outside a transaction. */
  async read(text: string, context: string | undefined, signal: AbortSignal): Promise<FlatKubeconfig> {
    const flat = this.#deps.kubeconfigs.read(text, context);
    const why = await this.#deps.addresses.whyRefused(flat.text, signal);
    if (why !== undefined) throw unusable(why);
    return flat;
  }

  /** Putting the same kubeconfig again changes nothing. */
  async put(unit: UnitOfWork, command: PutKubeconfig, signal: AbortSignal): Promise<ProxiedCluster> {
    const { vault } = this.#deps;
    const target = await unit.targets.require(command.target, signal);
    checkTarget(target);
    const { text, facts } = command.kubeconfig;
    const known = await unit.clusters.find(target.uid, signal);
    if (known !== undefined) command.before(known);
    if (known !== undefined && (await vault.open(known, signal)).reveal() === text.reveal()) return known;
    const sealed = await vault.seal(target.uid, text, signal);
    const next = withKubeconfig(known, { target, facts, sealed, now: command.now });
    await unit.clusters.save(next, signal);
    await unit.speakers.add(target, command.now, signal);
    return next;
  }

  async get(view: ClusterView, name: string, signal: AbortSignal): Promise<ProxiedCluster> {
    const target = await view.targets.require(name, signal);
    const known = await view.clusters.find(target.uid, signal);
    if (known === undefined) throw kubeconfigNotFound(name);
    return known;
  }

  /** Workloads in the cluster are not touched; other processes that serve the target continue. */
  async remove(unit: UnitOfWork, command: RemoveKubeconfig, signal: AbortSignal): Promise<void> {
    const target = await unit.targets.require(command.target, signal);
    const known = await unit.clusters.find(target.uid, signal);
    if (known === undefined) throw kubeconfigNotFound(command.target);
    command.before(known);
    await unit.clusters.remove(target.uid, signal);
    await unit.speakers.remove(target, command.now, signal);
  }
}
