export type { FakeRequest, Fault, FaultAction } from './fake/faults.ts';
export type { FakeResource } from './fake/resources.ts';
export { FakeApiServer, type FakeApiServerOptions } from './fake-api-server.ts';
