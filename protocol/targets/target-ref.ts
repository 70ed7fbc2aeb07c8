import type { Brand } from '#kit/std';

/** The uid of a target. */
export type TargetId = Brand<string, 'TargetId'>;

/** A target as the delivery contract names it. */
export interface TargetRef {
  readonly id: TargetId;
  readonly name: string;
  readonly type: string;
}
