export { type Caches, type CachesOptions, createCaches } from './caches.ts';
export { createResourceSetControllers, type ResourceSetControllersDeps } from './create-controllers.ts';
export { BINDINGS, type BindingObject, CLUSTERS, type ClusterObject, SETS, type SetObject } from './kinds.ts';
export type { WorkloadClients } from './workload-clients.ts';
