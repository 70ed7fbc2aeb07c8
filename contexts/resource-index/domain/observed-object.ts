import type { Condition, ObjectKey, Owner } from './indexed-object.ts';

/** An object as an agent sees it, before anything is taken out of it. */
export interface ObservedObject {
  readonly key: ObjectKey;
  readonly uid: string;
  /** The uid of the deployment of ours that brought it; empty when none did. */
  readonly deployment: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly owners: readonly Owner[];
  readonly conditions: readonly Condition[];
  /** Unix milliseconds. */
  readonly createTime: number | undefined;
  /** What paths lead into. Values that may not leave the target are not in it any more. */
  readonly body: unknown;
}
