import type { TargetKubeconfigResource } from '#protocol/api';
import type { ProxiedCluster } from '../domain/proxied-cluster.ts';

/** As the API shows it, without credentials. */
export function kubeconfigResource(cluster: ProxiedCluster): TargetKubeconfigResource {
  const { target, facts, observed, createTime, updateTime } = cluster;
  const { message, clusterUid, clusterVersion } = observed;
  return {
    target: target.name,
    server: facts.server,
    user: facts.user,
    ...(facts.impersonates === undefined ? {} : { impersonates: facts.impersonates }),
    insecure: facts.isInsecure,
    state: observed.state,
    ...(message === '' ? {} : { message }),
    ...(clusterUid === undefined ? {} : { clusterUid }),
    ...(clusterVersion === undefined ? {} : { clusterVersion }),
    createTime: iso(createTime),
    updateTime: iso(updateTime),
    observeTime: iso(observed.time),
  };
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
