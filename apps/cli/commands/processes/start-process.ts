import { readFileSync } from 'node:fs';
import { printSettings, type Settings, type Values } from '#kit/config';
import type { ProcessCommand, Surroundings } from '#runtime/process/process-command';
import packageJson from '../../../../package.json' with { type: 'json' };
import { EXIT, type ExitCode, type Io } from '../../command.ts';

/** Runs a process until the signal aborts, or prints its settings if that is asked for. */
export async function startProcess<S extends Settings>(
  process: Pick<ProcessCommand<S>, 'settings' | 'resolve' | 'run'>,
  { args, io }: { readonly args: readonly string[]; readonly io: Io },
  signal: AbortSignal,
): Promise<ExitCode> {
  const config = configOf(process, args, io);
  if (config !== undefined) await process.run(config, surroundingsOf(io), signal);
  return EXIT.ok;
}

/** `undefined` if the settings were only to be printed. */
export function configOf<S extends Settings>(
  { settings, resolve }: Pick<ProcessCommand<S>, 'settings' | 'resolve'>,
  args: readonly string[],
  io: Io,
): Values<S> | undefined {
  const readText = (path: string) => readFileSync(path, 'utf8');
  const resolved = resolve({ args, environment: io.environment, readText });
  const { values } = resolved;
  if (!('printConfig' in values) || values.printConfig !== true) return values;
  io.out(printSettings(settings, resolved));
  return undefined;
}

export function surroundingsOf(io: Io): Surroundings {
  return {
    version: packageJson.version,
    environment: io.environment,
    err: { write: (line) => io.err(line), isTerminal: io.errIsTerminal },
    terminal: io.outIsTerminal ? { write: (text) => io.out(text) } : undefined,
  };
}
