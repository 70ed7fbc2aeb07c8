export { FileKeyRing, type KeyFacts } from './file-key-ring.ts';
export type { KeyWrapper, WrappedKey } from './key-wrapper.ts';
export { type KeyRingOptions, openKeyRing } from './open-key-ring.ts';
export {
  finishRotation,
  type Rewrapping,
  type Rotation,
  type RotationDeps,
  rotateKeys,
  type SealedColumn,
} from './rotate-keys.ts';
export { type SealedPlace, Sealer } from './sealer.ts';
export { type SealingErrorCode } from './sealing-error.ts';
export { SEALING_MIGRATIONS } from './sealing-migrations.ts';
