import {
  type FieldFault,
  type Labels,
  type LabelsPatch,
  labelFaults,
  mergeLabels,
  type ResourceName,
  sameLabels,
  sortedLabels,
  type Uuid,
} from '#kit/std';
import { invalid } from './identity-error.ts';

/** A machine identity: a script, a pipeline, an operator. It belongs to a workspace. */
export interface ServiceAccount {
  readonly workspace: ResourceName;
  readonly name: ResourceName;
  readonly uid: Uuid;
  readonly displayName: string | undefined;
  readonly labels: Labels;
  /** Its tokens are refused while this is set. */
  readonly disabled: boolean;
  readonly generation: number;
  readonly version: number;
  readonly createTime: number;
  readonly updateTime: number;
}

export interface ServiceAccountPatch {
  readonly displayName?: string | null;
  readonly labels?: LabelsPatch;
  readonly disabled?: boolean;
}

export interface AccountFounding {
  readonly workspace: ResourceName;
  readonly name: ResourceName;
  readonly displayName: string | undefined;
  readonly labels: Labels;
  readonly uid: Uuid;
  readonly now: number;
}

const CONTROL = /\p{Cc}/u;

/** The id by which grants name it. */
export function principalIdOf({ workspace, name }: Pick<ServiceAccount, 'workspace' | 'name'>): string {
  return `${workspace}/${name}`;
}

export function newServiceAccount({ now, labels, ...founding }: AccountFounding): ServiceAccount {
  check({ displayName: founding.displayName, labels });
  const counts = { generation: 1, version: 1, createTime: now, updateTime: now };
  return { ...founding, labels: sortedLabels(labels), disabled: false, ...counts };
}

/** Returns the same object when the patch changes nothing, so that callers write nothing and emit no event. */
export function patchServiceAccount(account: ServiceAccount, patch: ServiceAccountPatch, now: number): ServiceAccount {
  const displayName = patch.displayName === undefined ? account.displayName : (patch.displayName ?? undefined);
  const labels = mergeLabels(account.labels, patch.labels);
  const disabled = patch.disabled ?? account.disabled;
  check({ displayName, labels });
  const same = displayName === account.displayName && disabled === account.disabled;
  if (same && sameLabels(labels, account.labels)) return account;
  return {
    ...account,
    displayName,
    labels,
    disabled,
    generation: account.generation + 1,
    version: account.version + 1,
    updateTime: Math.max(now, account.updateTime),
  };
}

/** For accounts and tokens. */
export function displayNameFaults(displayName: string | undefined): FieldFault[] {
  if (displayName === undefined) return [];
  const isLine = displayName.trim() !== '' && !CONTROL.test(displayName) && displayName.isWellFormed();
  return isLine ? [] : [{ path: '/displayName', message: 'must be one non-empty line' }];
}

function check({ displayName, labels }: Pick<ServiceAccount, 'displayName' | 'labels'>): void {
  const faults = [...displayNameFaults(displayName), ...labelFaults(labels)];
  if (faults.length > 0) throw invalid('INVALID_SERVICE_ACCOUNT', faults);
}
