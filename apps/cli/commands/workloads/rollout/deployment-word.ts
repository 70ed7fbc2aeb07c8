import { UsageError } from '../../../command.ts';
import { workspaceOf } from '../../../kinds/place.ts';
import type { DeploymentAddress } from '../../../rollout/read-rollout.ts';

export interface Named {
  readonly word: string;
  /** From the flag. */
  readonly workspace: string | undefined;
  /** From the context. */
  readonly contextWorkspace: string | undefined;
}

/** `web`, or `deployment/web` as printed by `-o name`. */
export function deploymentNamed({ word, workspace, contextWorkspace }: Named): DeploymentAddress {
  const [head = '', tail, rest] = word.split('/');
  const name = tail ?? head;
  if (rest !== undefined || name === '' || (tail !== undefined && !/^deploy(ment)?s?$/.test(head))) {
    throw new UsageError(`"${word}" is not the name of a deployment, such as web or deployment/web`);
  }
  return { name, workspace: workspaceOf({ workspace: workspace ?? contextWorkspace }) };
}
