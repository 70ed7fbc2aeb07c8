import { type TObject, Type } from 'typebox';
import { TargetSchema } from '#protocol/api';
import type { ApiClient } from '../../client/api-client.ts';
import { type ExitCode, type Io, UsageError } from '../../command.ts';
import { eachThing } from '../../each-thing.ts';
import { targetKind } from '../../kinds/target-kind.ts';
import { someThings } from '../../kinds/things.ts';
import { inDryRun } from '../dry-run-setting.ts';

export interface Steering {
  readonly api: ApiClient;
  readonly io: Io;
  readonly words: readonly string[];
  readonly verb: 'cordon' | 'uncordon' | 'assign' | 'reidentify' | 'merge';
  readonly body?: object;
  readonly done: string;
  readonly dryRun: boolean;
}

const ANSWER: TObject = Type.Object({ name: TargetSchema.properties.name });

/** Calls the same verb for each target. The kind in the arguments is optional. */
export async function steerTargets(steering: Steering, signal: AbortSignal): Promise<ExitCode> {
  const { api, io, words, verb, body, done, dryRun } = steering;
  const [first = ''] = words;
  const isNamed = first.includes('/') || ['target', 'targets', 'tgt'].includes(first);
  const things = someThings(isNamed ? words : ['targets', ...words], verb);
  if (things.some(({ kind }) => kind !== targetKind)) throw new UsageError(`${verb} supports only targets`);
  const tasks = things.map(({ name }) => ({
    name: `target/${name}`,
    run: async () => {
      const query = dryRun ? { dryRun } : {};
      await api.post(ANSWER, { path: ['targets', name], verb, query, ...(body === undefined ? {} : { body }) }, signal);
      io.out(`target/${name} ${done}${inDryRun(dryRun)}\n`);
    },
  }));
  return await eachThing(tasks, io, signal);
}
