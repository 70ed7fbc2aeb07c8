import type { FieldFault, Labels, ResourceName, Uuid } from '#kit/std';
import { type Condition, conditionFaults } from './conditions.ts';
import { type Properties, propertiesFaults } from './properties.ts';
import { ownLabelFaults, reportedLabelFaults } from './target-labels.ts';

/** `Cordoned` keeps what it has and gets nothing new; `Deprovisioning` is on its way out, and never comes back. */
export const LIFECYCLES = ['Active', 'Cordoned', 'Deprovisioning'] as const;
export type Lifecycle = (typeof LIFECYCLES)[number];

export const CONNECTION_STATES = ['NeverConnected', 'Connected', 'Disconnected'] as const;
export type ConnectionState = (typeof CONNECTION_STATES)[number];

export interface Connection {
  readonly state: ConnectionState;
  /** When its agent was last heard of. */
  readonly lastSeenTime: number | undefined;
}

/** The one workspace that a target is in. */
export interface TargetPlace {
  readonly name: ResourceName;
  /** What the path of everything in the workspace begins with. It ends with a slash. */
  readonly path: string;
}

/** Anything that keeps the delivery contract. A value: every change makes the next one. */
export interface Target {
  /** Unique in the whole instance, and never changed. */
  readonly name: ResourceName;
  /** Of this one alone: a target that was deleted and made again under its name has another. */
  readonly uid: Uuid;
  readonly type: string;
  readonly workspace: TargetPlace;
  /** What people say of it, and what its agent does. They never meet: the agent's keys have a prefix of their own. */
  readonly labels: Labels;
  readonly reportedLabels: Labels;
  /** The same two voices again, kept apart. */
  readonly properties: Properties;
  readonly reportedProperties: Properties;
  /** What it takes, for placement to filter by. Empty means that nobody said. In order. */
  readonly advertisedManifestTypes: readonly string[];
  readonly lifecycle: Lifecycle;
  readonly connection: Connection;
  readonly conditions: readonly Condition[];
  /** Counts the changes of what people asked for; `version` counts every change. */
  readonly generation: number;
  readonly version: number;
  /** Milliseconds since the epoch, like every time inside. */
  readonly createTime: number;
  readonly updateTime: number;
}

const MAX_MANIFEST_TYPES = 64;
const MANIFEST_TYPE = /^[a-z0-9]([-a-z0-9./]{0,126}[a-z0-9])?$/;

/** What is wrong with a target, wherever it comes from: a person, an agent or a database. */
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
