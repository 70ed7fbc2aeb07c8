import { suggestion } from '#kit/config';
import { UsageError } from '../../command.ts';

const ROLES = ['viewer', 'deployer', 'approver', 'cluster-viewer', 'cluster-editor', 'admin'] as const;

/** A role by its name, or an addon's permission. */
export function readGranted(
  word: string | undefined,
  permission: string | undefined,
): { role?: string; permission?: string } {
  if (word === undefined && permission !== undefined) return { permission };
  if (permission !== undefined) throw new UsageError('a role or --permission: choose one');
  if (word === undefined) throw new UsageError(`missing role (${ROLES.join(', ')}) or --permission NAME`);
  const role = ROLES.find((each) => each === word);
  if (role !== undefined) return { role };
  const act = suggestion(word, ROLES) || `; for an addon permission use --permission ${word}`;
  throw new UsageError(`unknown role "${word}"; roles are ${ROLES.join(', ')}${act}`);
}
