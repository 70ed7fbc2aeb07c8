import type { Json } from '#kit/std';
import { contentHash, type FieldFault } from '#kit/std';
import type { Document } from '#protocol/delivery';
import { type ChildDeployment, type DeploymentGroupSpec, groupFaults } from '../manifest/group/deployment-group.ts';
import { fieldOf, isList, isObject, mapFields } from '../manifest/json.ts';
import type { Parsed } from '../manifest/parsed.ts';

const API_GROUP = 'fleetshift.io/';
const KIND = 'DeploymentGroup';
const ON_FAILURE = ['halt', 'rollback'] as const;

/**
 * The only content that the platform accepts as a target: a single group whose children carry the names of their
 * deployments. Faults in a child's own strategies are found when it is created.
 */
export function parseGroupDocuments(documents: readonly Document[]): Parsed<DeploymentGroupSpec> {
  const [document, ...others] = documents;
  if (document === undefined || others.length > 0) {
    return faulty('', `must be one ${KIND} document, but there are ${documents.length} documents`);
  }
  const [apiVersion, kind] = [fieldOf(document, 'apiVersion'), fieldOf(document, 'kind')];
  if (kind !== KIND || typeof apiVersion !== 'string' || !apiVersion.startsWith(API_GROUP)) {
    return faulty('', `must be a ${KIND} of ${API_GROUP}v1; this is ${textOf(apiVersion)} ${textOf(kind)}`);
  }
  const spec = fieldOf(document, 'spec');
  const faults = shapeFaults(spec);
  if (faults.length > 0) return { kind: 'faulty', faults };
  // The fields were just checked one by one.
  const group = { ...(spec as unknown as DeploymentGroupSpec), type: 'deploymentGroup' } as const;
  const wrong = groupFaults(group, '/spec', () => []);
  return wrong.length > 0 ? { kind: 'faulty', faults: wrong } : { kind: 'parsed', value: group };
}

/** On one line, for people. */
export function faultsText(faults: readonly FieldFault[]): string {
  return faults.map(({ path, message }) => `${path} ${message}`.trim()).join('; ');
}

/**
 * The group with each field of its children replaced by a hash: small, without secrets, and enough to see what differs.
 */
export function digestGroup(spec: DeploymentGroupSpec): DeploymentGroupSpec {
  return { ...spec, deployments: spec.deployments.map(digestChild) };
}

function digestChild(child: ChildDeployment): ChildDeployment {
  const { name, manifest, ...fields } = child;
  const digests = mapFields(fields, (field) => contentHash(field));
  return { ...digests, name, manifest: { type: manifest.type, digest: contentHash(manifest) } };
}

function shapeFaults(spec: Json | undefined): FieldFault[] {
  const [children, sequence] = [fieldOf(spec, 'deployments'), fieldOf(spec, 'sequence')];
  if (!isList(children)) return [{ path: '/spec/deployments', message: 'must be a list' }];
  const onFailure = fieldOf(spec, 'onFailure');
  const isKnown = onFailure === undefined || ON_FAILURE.some((each) => each === onFailure);
  return [
    ...children.flatMap((child, index) => (isChild(child) ? [] : [notAChild(index)])),
    ...(sequence === undefined || isSequence(sequence)
      ? []
      : [{ path: '/spec/sequence', message: 'must be a list of { step: [names] }' }]),
    ...(isKnown ? [] : [{ path: '/spec/onFailure', message: `must be one of ${ON_FAILURE.join(', ')}` }]),
  ];
}

function isChild(child: Json): boolean {
  return typeof fieldOf(child, 'name') === 'string' && typeof fieldOf(fieldOf(child, 'manifest'), 'type') === 'string';
}

function notAChild(index: number): FieldFault {
  return { path: `/spec/deployments/${index}`, message: 'must have a name, and a manifest with a type' };
}

function isSequence(sequence: Json): boolean {
  return isList(sequence) && sequence.every((step) => isObject(step) && isNames(fieldOf(step, 'step')));
}

function isNames(names: Json | undefined): boolean {
  return isList(names) && names.every((name) => typeof name === 'string');
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : 'unknown';
}

function faulty(path: string, message: string): Parsed<DeploymentGroupSpec> {
  return { kind: 'faulty', faults: [{ path, message }] };
}
