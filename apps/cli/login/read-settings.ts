import { type Resolved, resolveSettings, type Settings } from '#kit/config';
import { splitArguments } from '../client/split-arguments.ts';
import { type Io, UsageError } from '../command.ts';

/** Flags and variables of a command that takes nothing else. */
export function readSettings<S extends Settings>(
  settings: S,
  args: readonly string[],
  { environment }: Pick<Io, 'environment'>,
): Resolved<S>['values'] {
  const { positionals, flags } = splitArguments(settings, args);
  const [extra] = positionals;
  if (extra !== undefined) throw new UsageError(`"${extra}": an argument that is not expected here`);
  // What the platform reads from the same environment is not ours to judge.
  const ignoredVariables = [/^FLEETSHIFT_/];
  return resolveSettings({ settings, args: flags, environment, ignoredVariables, readText: () => '' }).values;
}
