import type { AnyWorkflow } from '#kit/durable';
import type { TestRegistry } from './engine-harness.ts';
import * as main from './workflows/index.ts';
import * as after from './workflows/skew/after.ts';
import * as before from './workflows/skew/before.ts';
import type { World } from './world.ts';

/** The sets of workflows with which the contract suite opens an engine. */
export const SETS = {
  main: { module: new URL('./workflows/index.ts', import.meta.url), workflows: Object.values<AnyWorkflow>(main) },
  before: {
    module: new URL('./workflows/skew/before.ts', import.meta.url),
    workflows: Object.values<AnyWorkflow>(before),
  },
  after: {
    module: new URL('./workflows/skew/after.ts', import.meta.url),
    workflows: Object.values<AnyWorkflow>(after),
  },
} as const;

export type SetName = keyof typeof SETS;

export function registryOf(name: SetName, world: World): TestRegistry {
  return { ...SETS[name], activities: world.activities };
}
