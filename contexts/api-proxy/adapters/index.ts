export { ByteDuplex } from './byte-duplex.ts';
export { type Forwarding, forwardRequest, forwardUpgrade, type Seal } from './forward.ts';
export { responseOn, sendStatus, statusOfError } from './send-status.ts';
export { PROOF_HEADER, type ProvedRequest, TunnelSigner, TunnelVerifier } from './tunnel-proof.ts';
