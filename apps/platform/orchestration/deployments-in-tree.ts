import { followMove, type MovedDeployment, type PlacementRegistry, type UnitOfWork } from '#contexts/orchestration';
import { deploymentsInWorkspaces, dropTargetScores } from '#contexts/orchestration/adapters';
import { targetPool } from '#contexts/targets/adapters';
import type { ContentsReader, MoveChange, MoveObserver } from '#contexts/workspaces';
import type { Clock } from '#kit/std';
import type { Transaction } from '#kit/storage';
import { known } from './target-pool.ts';

export interface DeploymentsInTreeDeps {
  readonly unit: (tx: Transaction) => UnitOfWork;
  readonly placements: PlacementRegistry;
  readonly clock: Clock;
}

/** As many as a person reads; the last line says how many more there are. */
const SHOWN = 20;

/** What deployments have to say to whoever deletes or moves what they are in, or on. */
export interface DeploymentsInTree {
  readonly contents: (tx: Transaction) => ContentsReader;
  /** Comes after the targets have followed. */
  readonly moves: (tx: Transaction) => MoveObserver;
  /** For whoever deletes a target. */
  readonly targets: typeof dropTargetScores;
}

export function deploymentsInTree({ unit, placements, clock }: DeploymentsInTreeDeps): DeploymentsInTree {
  return {
    contents: deploymentsInWorkspaces,
    targets: dropTargetScores,
    moves: (tx) => ({
      moved: async ({ fromPath, toPath }, signal) => {
        await deploymentsInWorkspaces(tx).rewritePaths({ fromPath, toPath }, signal);
        const targets = (await targetPool(tx).below(toPath, signal)).map(known);
        const move = { fromPath, toPath, targets, now: clock.now() };
        return changesFor(await followMove(unit(tx), { move, placements }, signal));
      },
    }),
  };
}

/**
 * DECISION: deployments are named, also those of workspaces above that the mover may not see. He administers the targets
 * that they are on or come to, and whoever does may know what is put there and taken off.
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
