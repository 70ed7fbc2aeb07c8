export type { HeadKey } from './application/ports.ts';
export type { GaugeSource, UsageMeter } from './application/usage-meter.ts';
export { type Verification, type VerifyRequest, verifyAudit } from './application/verify-audit.ts';
export type { ChainPoint } from './domain/audit-chain.ts';
export type { ChainFault } from './domain/verify-chain.ts';
