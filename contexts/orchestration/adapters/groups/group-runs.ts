import { implementActivity } from '#kit/durable';
import type { Runnable } from '#kit/reconcile';
import { parseUuid } from '#kit/std';
import type { GroupController } from '../../application/groups/group-controller.ts';
import { type GroupRun, groupController } from '../workflows/group-controller.ts';
import { controlGroup } from '../workflows/group-controller-activities.ts';
import { type RunSource, type RunStarterDeps, runStarter } from './run-starter.ts';
import { GROUP_WOKEN } from './sql-group-store.ts';

const GROUP_RUNS: RunSource<GroupRun> = {
  name: 'group starter',
  topic: GROUP_WOKEN,
  table: 'deployment_groups',
  key: 'deployment',
  workflow: groupController,
  start: (group, run) => ({ id: `groups.${group}.${run}`, input: { group, run } }),
};

/** Begins the controllers of groups that there is something for. */
export function groupStarter(deps: RunStarterDeps): Runnable {
  return runStarter(GROUP_RUNS, deps);
}

/** What the workflow of a group does in the world. */
export function groupActivities(controller: Pick<GroupController, 'control'>) {
  return [
    implementActivity(controlGroup, ({ group, run }, { signal }) => controller.control(parseUuid(group), run, signal)),
  ];
}
