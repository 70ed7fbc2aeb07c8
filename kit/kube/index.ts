export { CORE } from './client/core-resources.ts';
export { type ClientLimits, createKubeClient, type KubeClientOptions } from './client/create-kube-client.ts';
export { checkAddress } from './client/dial.ts';
export type { RequestReport } from './client/exchange.ts';
export type {
  ApplyOptions,
  CollectionRef,
  DeleteOptions,
  Discovery,
  KubeClient,
  ListOptions,
  ObjectRef,
  Patch,
  RawRequest,
  Subresource,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from './client/kube-client.ts';
export type {
  KubeList,
  KubeObject,
  ManagedFields,
  ObjectMeta,
  OwnerReference,
  Resource,
} from './client/kube-object.ts';
export { type ListAllOptions, listAll } from './client/list-all.ts';
export { createRawApi, type RawApi, type RawApiOptions, type RawIdentity, type RawWay } from './client/raw-api.ts';
export type { Priority, RateLimit } from './client/request-gate.ts';
export type { Status } from './client/status-error.ts';
export { type InClusterOptions, inClusterConfig } from './config/in-cluster-config.ts';
export type {
  Environment,
  ExecPlugin,
  IdentityConfig,
  Impersonation,
  KubeConfig,
  Material,
} from './config/kube-config.ts';
export {
  type KubeconfigSnapshot,
  type LoadOptions,
  loadKubeConfig,
  parseKubeConfig,
  readKubeconfigFile,
} from './config/load-kube-config.ts';
export type { Selection } from './config/resolve-kube-config.ts';
export { isKubeError, KUBE_ERRORS, KubeError, type KubeErrorCode } from './kube-error.ts';
