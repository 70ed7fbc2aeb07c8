export type { HeadKey } from './application/ports.ts';
export { type Verification, verifyAudit } from './application/verify-audit.ts';
