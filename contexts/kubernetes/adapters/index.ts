export { celHealthRules } from './cel-health-rules.ts';
export { KubeClusterApi } from './kube-cluster-api.ts';
