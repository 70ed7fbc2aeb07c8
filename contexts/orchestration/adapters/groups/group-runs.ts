import { type ActivityImplementation, implementActivity } from '#kit/durable';
import { parseUuid } from '#kit/std';
import type { GroupController } from '../../application/groups/group-controller.ts';
import type { RunSource } from '../run-starter.ts';
import { type GroupRun, groupController } from '../workflows/group-controller.ts';
import { controlGroup } from '../workflows/group-controller-activities.ts';
import { GROUP_WOKEN } from './sql-group-store.ts';

export const GROUP_RUNS: RunSource<GroupRun> = {
  name: 'groups of deployments',
  topic: GROUP_WOKEN,
  table: 'deployment_groups',
  key: 'deployment',
  workflow: groupController,
  start: (group, run) => ({ id: `groups.${group}.${run}`, input: { group, run } }),
};

/** The activities of a group's workflow. */
export function groupActivities(controller: Pick<GroupController, 'control'>): readonly ActivityImplementation[] {
  return [
    implementActivity(controlGroup, ({ group, run }, { signal }) => controller.control(parseUuid(group), run, signal)),
  ];
}
