export { celHealthRules } from './cel-health-rules.ts';
export { KubeClusterApi } from './kube-cluster-api.ts';
export { KubeDiscovery } from './kube-discovery.ts';
export { KubeInventories } from './kube-inventories.ts';
export { KubeOrders } from './kube-orders.ts';
export { type OpenClusterOptions, openCluster } from './open-cluster.ts';
