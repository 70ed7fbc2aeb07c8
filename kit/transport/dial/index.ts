export { type DialCredentials, type DialOptions, type DialTls, dial, type Endpoint, endpointName } from './dial.ts';
export { parseProxy, proxyFor } from './proxy-for.ts';
