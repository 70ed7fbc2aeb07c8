import { contentHash } from '#kit/std';
import type { Outcome } from '../rollout/machine/phase.ts';
import type { DeploymentId, DeploymentSpec } from './deployment.ts';

/** One rollout: its spec, its cause and its outcome. */
export interface Revision {
  readonly deployment: DeploymentId;
  /** Increases by one or more from rollout to rollout. */
  readonly revision: number;
  readonly generation: number;
  /** In its open form: secrets are references. */
  readonly spec: DeploymentSpec;
  /** The cause of the rollout, in words for people. */
  readonly trigger: string;
  readonly requestedBy: string;
  /** Set for a rollback: the content is that of the earlier revision, exactly as delivered then. */
  readonly rollbackTo: number | undefined;
  /** False for a rollback that goes to all targets at once, whatever the budget says. */
  readonly isPaced: boolean;
  readonly createTime: number;
  readonly endTime: number | undefined;
  readonly outcome: Outcome | undefined;
  readonly message: string | undefined;
  /** How many turns it has taken so far. */
  readonly turns: number;
}

/** Everything that documents are generated from, which is what a rollback restores: never placement or rollout. */
export function contentOf({ manifest, config, healthRules, driftPolicy, namespace }: DeploymentSpec) {
  return { manifest, config, healthRules, driftPolicy, ...(namespace === undefined ? {} : { namespace }) };
}

/** The same for revisions between which a rollback would change nothing. */
export function contentHashOf({ spec }: Pick<Revision, 'spec'>): string {
  return contentHash(contentOf(spec));
}
