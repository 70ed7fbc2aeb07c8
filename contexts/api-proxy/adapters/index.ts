export { ByteDuplex, type Bytes, type BytesHandlers } from './byte-duplex.ts';
export { type Forwarding, forwardRequest, forwardUpgrade, type NextHop, type Seal, type Upgraded } from './forward.ts';
export { responseOn, sendStatus, statusOfError } from './send-status.ts';
export { PROOF_HEADER, type ProvedRequest, TunnelSigner, TunnelVerifier } from './tunnel-proof.ts';
