import { maskValues, textsIn, type ValueMask } from '#kit/std';
import type { TargetId } from '#protocol/targets';
import type { Deployment, DeploymentId } from '../domain/deployment/deployment.ts';
import { specReferences } from '../domain/deployment/sealed-spec.ts';
import type { ContentStore } from './ports.ts';

export interface AskedSecrets {
  readonly deployments: readonly Pick<Deployment, 'uid' | 'spec'>[];
  readonly targets: readonly TargetId[];
}

/** The secrets are unknown, so the whole text is hidden. */
const ALL_HIDDEN: ValueMask = (text) =>
  text === '' ? '' : '(hidden: the secrets of this deployment cannot be opened at the moment)';

/**
 * Texts from agents are shown and stored, and an old or compromised agent may quote secrets in them. So all known secrets
 * are masked here, whatever agents do: the secrets of the spec, and those of everything that the targets received from
 * revisions that are still stored. A deployment without secrets has no mask.
 */
export async function knownSecrets(
  contents: Pick<ContentStore, 'referencesOn' | 'openSecrets'>,
  { deployments, targets }: AskedSecrets,
  signal: AbortSignal,
): Promise<ReadonlyMap<DeploymentId, ValueMask>> {
  const given = await contents.referencesOn({ deployments: deployments.map(({ uid }) => uid), targets }, signal);
  const masks = new Map<DeploymentId, ValueMask>();
  for (const { uid, spec } of deployments) {
    const references = [...specReferences(spec), ...(given.get(uid) ?? [])];
    if (references.length > 0) masks.set(uid, await maskOf(contents, references, signal));
  }
  return masks;
}

async function maskOf(
  contents: Pick<ContentStore, 'openSecrets'>,
  references: readonly string[],
  signal: AbortSignal,
): Promise<ValueMask> {
  try {
    return maskValues(textsIn(await contents.openSecrets(references, signal)));
  } catch {
    // A missing key must neither block reports of agents nor let secrets through.
    signal.throwIfAborted();
    return ALL_HIDDEN;
  }
}
