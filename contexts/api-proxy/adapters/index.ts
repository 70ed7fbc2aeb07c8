export { ByteDuplex, type Bytes, type BytesHandlers } from './byte-duplex.ts';
export { type Forwarding, forwardRequest, forwardUpgrade, type NextHop, type Upgraded } from './forward.ts';
export { responseOn, sendStatus, statusOfError } from './send-status.ts';
