import type { Condition, ObjectKey, Owner } from './indexed-object.ts';

/** An object as an agent sees it, before extraction. */
export interface ObservedObject {
  readonly key: ObjectKey;
  readonly uid: string;
  /** The uid of the FleetShift deployment that created the object; empty if none did. */
  readonly deployment: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly owners: readonly Owner[];
  readonly conditions: readonly Condition[];
  /** Unix milliseconds. */
  readonly createTime: number | undefined;
  /** The value that paths select from. Values that must not leave the target are already removed. */
  readonly body: unknown;
}
