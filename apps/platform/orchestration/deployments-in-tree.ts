import { followMove, type MovedDeployment, type PlacementRegistry, type UnitOfWork } from '#contexts/orchestration';
import { deploymentsInWorkspaces, deploymentsOnTargets } from '#contexts/orchestration/adapters';
import { targetPool } from '#contexts/targets/adapters';
import type { ContentsReader, MoveChange, MoveObserver } from '#contexts/workspaces';
import type { Clock } from '#kit/std';
import type { Transaction } from '#kit/storage';
import { knownIn } from './transaction-ports.ts';

export interface DeploymentsInTreeDeps {
  readonly unit: (tx: Transaction) => UnitOfWork;
  readonly placements: PlacementRegistry;
  readonly clock: Clock;
}

/** As many as a person reads; the last line tells how many more there are. */
const SHOWN = 20;

/** The part of deployments in deleting or moving workspaces and targets. */
export interface DeploymentsInTree {
  readonly contents: (tx: Transaction) => ContentsReader;
  /** Runs after the targets have followed. */
  readonly moves: (tx: Transaction) => MoveObserver;
  /** For the deletion of a target. */
  readonly targets: typeof deploymentsOnTargets;
}

export function deploymentsInTree({ unit, placements, clock }: DeploymentsInTreeDeps): DeploymentsInTree {
  return {
    contents: deploymentsInWorkspaces,
    targets: deploymentsOnTargets,
    moves: (tx) => ({
      moved: async ({ fromPath, toPath }, signal) => {
        await deploymentsInWorkspaces(tx).rewritePaths({ fromPath, toPath }, signal);
        const targets = knownIn(await targetPool(tx).below(toPath, signal));
        const move = { fromPath, toPath, targets, now: clock.now() };
        return changesFor(await followMove(unit(tx), { move, placements }, signal));
      },
    }),
  };
}

/**
 * DECISION: deployments are named, also those of workspaces above that the caller may not see. The caller administers
 * the targets concerned, and an administrator of a target may know what is deployed to it and removed from it.
 */
function changesFor(moved: readonly MovedDeployment[]): MoveChange[] {
  const changes = moved.slice(0, SHOWN).map(({ deployment, kind, count }): MoveChange => {
    const targets = `${count} ${count === 1 ? 'target' : 'targets'}`;
    const verb = kind === 'loses' ? 'loses' : 'may gain';
    return {
      kind: 'deployment',
      message: `${deployment.workspace.name}/${deployment.name} ${verb} ${targets}.`,
      count,
    };
  });
  const more = moved.length - changes.length;
  const message = `${more} more ${more === 1 ? 'deployment loses or gains' : 'deployments lose or gain'} targets.`;
  return more === 0 ? changes : [...changes, { kind: 'deployments', message, count: more }];
}
