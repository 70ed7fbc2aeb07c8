export { flattenKubeconfig } from './flat-kubeconfig.ts';
export { PROXIED_CLUSTER_MIGRATIONS, PROXIED_CLUSTER_SEALED_COLUMNS } from './migrations.ts';
export {
  openProxiedClusters,
  type ProxiedClusters,
  proxiedClustersInTree,
  type ServableCluster,
} from './open-proxied-clusters.ts';
