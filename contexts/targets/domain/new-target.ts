import {
  type FieldFault,
  type Labels,
  parseResourceName,
  type ResourceName,
  StdError,
  sortedLabels,
  type Uuid,
} from '#kit/std';
import { movedFaults, type Properties } from './properties.ts';
import { sortedTypes, type Target, type TargetPlace, targetFaults } from './target.ts';
import { invalidTarget } from './target-error.ts';

/** The user's input. */
export interface RawTargetDraft {
  readonly name: string;
  readonly type: string;
  readonly workspace: string;
  readonly labels?: Labels;
  readonly properties?: Properties;
  readonly advertisedManifestTypes?: readonly string[];
}

/** With valid names. Whether type and workspace exist is checked elsewhere. */
export interface TargetDraft extends RawTargetDraft {
  readonly name: ResourceName;
  readonly type: ResourceName;
  readonly workspace: ResourceName;
}

/** Values that the draft does not contain. */
export interface Registration {
  readonly workspace: TargetPlace;
  readonly uid: Uuid;
  readonly now: number;
}

const NAME_RULE = 'must be 1 to 63 lower-case letters, digits and hyphens, with no hyphen at either end';

export function parseTargetDraft(raw: RawTargetDraft): TargetDraft {
  const faults: FieldFault[] = [];
  const name = readName(raw.name, '/name', faults);
  const type = readName(raw.type, '/type', faults);
  const workspace = readName(raw.workspace, '/workspace', faults);
  if (name === undefined || type === undefined || workspace === undefined) throw invalidTarget(faults);
  return { ...raw, name, type, workspace };
}

/** The caller has checked that the name is free. */
export function newTarget(draft: TargetDraft, { workspace, uid, now }: Registration): Target {
  const { name, type, labels = {}, properties = {}, advertisedManifestTypes = [] } = draft;
  const target: Target = {
    name,
    uid,
    type,
    workspace,
    labels: sortedLabels(labels),
    reportedLabels: {},
    properties,
    reportedProperties: {},
    advertisedManifestTypes: sortedTypes(advertisedManifestTypes),
    lifecycle: 'Active',
    connection: { state: 'NeverConnected', lastSeenTime: undefined },
    conditions: [],
    generation: 1,
    version: 1,
    createTime: now,
    updateTime: now,
  };
  const faults = [...movedFaults(properties, '/properties'), ...targetFaults(target)];
  if (faults.length > 0) throw invalidTarget(faults);
  return target;
}

function readName(raw: string, path: string, faults: FieldFault[]): ResourceName | undefined {
  try {
    return parseResourceName(raw);
  } catch (error) {
    if (!(error instanceof StdError)) throw error;
    faults.push({ path, message: NAME_RULE });
    return undefined;
  }
}
