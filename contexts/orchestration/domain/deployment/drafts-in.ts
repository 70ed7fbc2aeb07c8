import type { DeploymentGroupSpec } from '../manifest/group/deployment-group.ts';
import { hideManifest, type ManifestRegistry } from '../manifest/manifest-strategy.ts';
import { type DeploymentDraft, specOf } from './deployment-draft.ts';

export function groupIn({ manifest }: DeploymentDraft): DeploymentGroupSpec | undefined {
  // The shape of a manifest is chosen by its type.
  return manifest.type === 'deploymentGroup' ? (manifest as unknown as DeploymentGroupSpec) : undefined;
}

/**
 * Whether the draft places anything on the platform itself, which needs its own permission.
 *
 * DECISION: a group does not count. It lives on the platform, but all it can create there are deployments of its own
 * workspace, which its author may create anyway; its children are checked one by one.
 */
export function placesLocally(draft: DeploymentDraft): boolean {
  const rest = draftsIn(draft).filter((each) => groupIn(each) === undefined);
  return rest.some((each) => specOf(each).placement.some(({ type }) => type === 'local'));
}

/**
 * The draft as it is stored, children included: secrets that the manifest strategies recognize are marked in addition to
 * those already marked.
 */
export function hideSecrets(draft: DeploymentDraft, manifests: ManifestRegistry): DeploymentDraft {
  const group = groupIn(draft);
  if (group === undefined) return { ...draft, manifest: hideManifest(draft.manifest, manifests) };
  const deployments = group.deployments.map((child) => ({ ...child, ...hideSecrets(child, manifests) }));
  return { ...draft, manifest: { ...draft.manifest, deployments } };
}

/** Whether a placement names targets one by one, so that their existence has to be checked. */
export function namesTargets(draft: DeploymentDraft): boolean {
  return draftsIn(draft).some((each) => specOf(each).placement.some(({ type }) => type === 'static'));
}

/**
 * The draft itself and, for a group, the drafts of its children at any depth. The shape must have been checked before.
 */
function draftsIn(draft: DeploymentDraft): readonly DeploymentDraft[] {
  const children = groupIn(draft)?.deployments ?? [];
  return [draft, ...children.flatMap(draftsIn)];
}
