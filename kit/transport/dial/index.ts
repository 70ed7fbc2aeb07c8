export {
  connectSocket,
  type DialCredentials,
  type DialOptions,
  type DialTls,
  dial,
  type Endpoint,
} from './dial.ts';
export { createDialGuard, type DialGuard, type DialGuardOptions, type Place } from './dial-guard.ts';
export { addressOf } from './open-tunnel.ts';
export { proxyFor } from './proxy-for.ts';
