import type { FieldFault, Labels, ResourceName, Uuid } from '#kit/std';
import { type Condition, conditionFaults } from './conditions.ts';
import { type Properties, propertiesFaults } from './properties.ts';
import { ownLabelFaults, reportedLabelFaults } from './target-labels.ts';

/** `Cordoned` keeps its deployments and gets no new ones; `Deprovisioning` is final. */
export const LIFECYCLES = ['Active', 'Cordoned', 'Deprovisioning'] as const;
export type Lifecycle = (typeof LIFECYCLES)[number];

export const CONNECTION_STATES = ['NeverConnected', 'Connected', 'Disconnected'] as const;
export type ConnectionState = (typeof CONNECTION_STATES)[number];

export interface Connection {
  readonly state: ConnectionState;
  /** When the agent last reported. */
  readonly lastSeenTime: number | undefined;
}

/** The workspace of a target. */
export interface TargetPlace {
  readonly name: ResourceName;
  /** The path prefix of everything in the workspace, with a trailing slash. */
  readonly path: string;
}

/** Anything that implements the delivery contract. Immutable: every change makes a new value. */
export interface Target {
  /** Unique in the whole instance; never changes. */
  readonly name: ResourceName;
  /** A target that is deleted and created again under the same name has another uid. */
  readonly uid: Uuid;
  readonly type: string;
  readonly workspace: TargetPlace;
  /** The target that has the same cluster. An alias is in no placement, and its agent serves that target. */
  readonly aliasOf?: ResourceName | undefined;
  /** The user's labels, and below the agent's. They never collide: the agent's keys have their own prefix. */
  readonly labels: Labels;
  readonly reportedLabels: Labels;
  /** Likewise the user's properties, and the agent's. */
  readonly properties: Properties;
  readonly reportedProperties: Properties;
  /** The manifest types it accepts, for placement. Empty means unknown. Sorted. */
  readonly advertisedManifestTypes: readonly string[];
  readonly lifecycle: Lifecycle;
  readonly connection: Connection;
  readonly conditions: readonly Condition[];
  /** Counts the changes that users request; `version` counts every change. */
  readonly generation: number;
  readonly version: number;
  /** Milliseconds since the epoch, like every internal time. */
  readonly createTime: number;
  readonly updateTime: number;
}

const MAX_MANIFEST_TYPES = 64;
const MANIFEST_TYPE = /^[a-z0-9]([-a-z0-9./]{0,126}[a-z0-9])?$/;

/** The faults of a target from any source: a user, an agent or the database. */
export function targetFaults(target: Target): FieldFault[] {
  return [
    ...ownLabelFaults(target.labels),
    ...reportedLabelFaults(target.reportedLabels),
    ...propertiesFaults(target.properties, '/properties'),
    ...propertiesFaults(target.reportedProperties, '/reportedProperties'),
    ...manifestTypeFaults(target.advertisedManifestTypes),
    ...conditionFaults(target.conditions),
    ...countFaults(target),
  ];
}

export function sortedTypes(types: readonly string[]): readonly string[] {
  return [...new Set(types)].sort((a, b) => (a < b ? -1 : 1));
}

export function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

function manifestTypeFaults(types: readonly string[]): FieldFault[] {
  const path = '/advertisedManifestTypes';
  if (types.length > MAX_MANIFEST_TYPES) return [{ path, message: `has more than ${MAX_MANIFEST_TYPES} types` }];
  const message = 'must be 1 to 128 lower-case letters, digits, -, . and /, with a letter or digit at both ends';
  return types.flatMap((type, index) => (MANIFEST_TYPE.test(type) ? [] : [{ path: `${path}/${index}`, message }]));
}

function countFaults({ generation, version, createTime, updateTime }: Target): FieldFault[] {
  const faults: FieldFault[] = [];
  if (!(generation >= 1 && generation <= version)) {
    faults.push({ path: '/generation', message: 'must be at least 1 and at most the version' });
  }
  if (!(createTime <= updateTime)) faults.push({ path: '/updateTime', message: 'must not be before createTime' });
  return faults;
}
