import { type Resolved, resolveSettings, type Settings } from '#kit/config';
import { splitArguments } from '../client/split-arguments.ts';
import { type Io, UsageError } from '../command.ts';

/** Parses the flags and variables of a command without arguments. */
export function readSettings<S extends Settings>(
  settings: S,
  args: readonly string[],
  { environment }: Pick<Io, 'environment'>,
): Resolved<S>['values'] {
  const { positionals, flags } = splitArguments(settings, args);
  const [extra] = positionals;
  if (extra !== undefined) throw new UsageError(`unexpected argument "${extra}"`);
  // The environment may also contain settings of the platform; unknown variables are not an error here.
  const ignoredVariables = [/^FLEETSHIFT_/];
  return resolveSettings({ settings, args: flags, environment, ignoredVariables, readText: () => '' }).values;
}
