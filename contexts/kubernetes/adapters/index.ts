export { clusterIdentity, storeIdentity } from './cluster-identity.ts';
export { openCluster } from './open-cluster.ts';
