export { BoundedCel, type Expression } from './bounded-cel.ts';
export { CelError, type CelErrorCode } from './cel-error.ts';
export { type CallRules, checkCalls } from './check-calls.ts';
export { childrenOf } from './children-of.ts';
