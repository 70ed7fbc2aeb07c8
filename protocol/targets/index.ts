export type { TargetId, TargetRef } from './target-ref.ts';
