import type { DeploymentGroupSpec } from '../manifest/group/deployment-group.ts';
import { hideManifest, type ManifestRegistry } from '../manifest/manifest-strategy.ts';
import { type DeploymentDraft, specOf } from './deployment-draft.ts';

export function groupIn({ manifest }: DeploymentDraft): DeploymentGroupSpec | undefined {
  // The shape of a manifest is chosen by its type.
  return manifest.type === 'deploymentGroup' ? (manifest as unknown as DeploymentGroupSpec) : undefined;
}

/**
 * Whether anything in it is to be put on the platform itself, which needs a permission of its own.
 *
 * DECISION: a group is not. It lives on the platform, but all that it can bring about there are deployments of its own
 * workspace, which whoever writes it may create anyway; its children are looked at one by one.
 */
export function placesLocally(draft: DeploymentDraft): boolean {
  const rest = draftsIn(draft).filter((each) => groupIn(each) === undefined);
  return rest.some((each) => specOf(each).placement.some(({ type }) => type === 'local'));
}

/** As it is to be kept, its children too: what is secret in manifests beside what is marked is marked. */
export function hideSecrets(draft: DeploymentDraft, manifests: ManifestRegistry): DeploymentDraft {
  const group = groupIn(draft);
  if (group === undefined) return { ...draft, manifest: hideManifest(draft.manifest, manifests) };
  const deployments = group.deployments.map((child) => ({ ...child, ...hideSecrets(child, manifests) }));
  return { ...draft, manifest: { ...draft.manifest, deployments } };
}

/** Whether a placement names targets one by one, so that somebody has to look whether they are there. */
export function namesTargets(draft: DeploymentDraft): boolean {
  return draftsIn(draft).some((each) => specOf(each).placement.some(({ type }) => type === 'static'));
}

/** The draft itself, and those of the children if it is a group, at any depth. Its shape is known to be right. */
function draftsIn(draft: DeploymentDraft): readonly DeploymentDraft[] {
  const children = groupIn(draft)?.deployments ?? [];
  return [draft, ...children.flatMap(draftsIn)];
}
