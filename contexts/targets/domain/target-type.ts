import { TargetError } from './target-error.ts';

/** The type decides which component delivers to a target. Addons add types. */
const BUILT_IN_TYPES = ['kubernetes', 'platform', 'local', 'directory'] as const;

export function isBuiltIn(type: string): boolean {
  return BUILT_IN_TYPES.some((each) => each === type);
}

export function unknownType(type: string): TargetError {
  return new TargetError(
    'UNKNOWN_TARGET_TYPE',
    `There is no target type ${type}. Use ${BUILT_IN_TYPES.join(', ')}, or install the addon that brings it.`,
    { faults: [{ path: '/type', message: 'is not a type that this instance knows' }] },
  );
}
