import { readFileSync } from 'node:fs';
import { type Environment, helpText, printSettings, type Resolved, type Settings, suggestion } from '#kit/config';
import packageJson from '../../../package.json' with { type: 'json' };
import { DIRECTORY_AGENT_SETTINGS, resolveDirectoryAgentConfig } from '../../directory-agent/config.ts';
import { KUBERNETES_AGENT_SETTINGS, resolveKubernetesAgentConfig } from '../../kubernetes-agent/config.ts';
import { type Command, EXIT, type Io, UsageError } from '../command.ts';

const SUMMARY = `Runs an agent until SIGTERM or SIGINT: it registers targets at the local fleetlet and delivers to them.

  directory   writes documents as files below the folder of each target
  kubernetes  applies documents to the cluster that it runs in, or to those of a kubeconfig`;

type Run = (args: readonly string[], io: Io, signal: AbortSignal) => Promise<void>;

const KINDS: Readonly<Record<string, Run>> = { directory, kubernetes };

export const agent: Command = {
  help: () =>
    [
      helpText({
        usage: 'fleetshift agent directory --target NAME=FOLDER... [flags]',
        summary: SUMMARY,
        settings: DIRECTORY_AGENT_SETTINGS,
      }),
      helpText({
        usage: 'fleetshift agent kubernetes [--kubeconfig FILE [--target NAME=CONTEXT]...] [flags]',
        summary: 'In a Pod it serves its own cluster, with its service account.',
        settings: KUBERNETES_AGENT_SETTINGS,
      }),
    ].join('\n'),
  async run([kind, ...args], io, signal) {
    const run = kind !== undefined && Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
    if (run === undefined) {
      const names = Object.keys(KINDS);
      const known = kind === undefined ? '' : suggestion(kind, names);
      const wrong = kind === undefined ? 'missing agent type' : `unknown agent type ${kind}`;
      throw new UsageError(`${wrong}: ${names.join(', ')}${known}`);
    }
    await run(args, io, signal);
    return EXIT.ok;
  },
};

async function directory(args: readonly string[], io: Io, signal: AbortSignal): Promise<void> {
  const resolved = resolveDirectoryAgentConfig({ ...sources(io), args });
  if (isPrinted(DIRECTORY_AGENT_SETTINGS, resolved, io)) return;
  // Loaded late: help and invalid settings need no agent code.
  const { runDirectoryAgent } = await import('../../directory-agent/run.ts');
  const config = resolved.values;
  await runDirectoryAgent({ config, ...surroundings(io) }, untilStdinEnds(config, signal));
}

async function kubernetes(args: readonly string[], io: Io, signal: AbortSignal): Promise<void> {
  const resolved = resolveKubernetesAgentConfig({ ...sources(io), args });
  if (isPrinted(KUBERNETES_AGENT_SETTINGS, resolved, io)) return;
  const { runKubernetesAgent } = await import('../../kubernetes-agent/run.ts');
  const config = resolved.values;
  const { environment } = io;
  await runKubernetesAgent({ config, environment, ...surroundings(io) }, untilStdinEnds(config, signal));
}

function sources({ environment }: Io): { environment: Environment; readText: (path: string) => string } {
  return { environment, readText: (path) => readFileSync(path, 'utf8') };
}

function surroundings(io: Io) {
  const err = { write: (line: string) => io.err(line), isTerminal: io.errIsTerminal };
  return { version: packageJson.version, err };
}

function isPrinted<S extends Settings>(settings: S, resolved: Resolved<S>, io: Io): boolean {
  if (!('printConfig' in resolved.values) || resolved.values.printConfig !== true) return false;
  io.out(printSettings(settings, resolved));
  return true;
}

function untilStdinEnds({ stopWithStdin }: { readonly stopWithStdin: boolean }, signal: AbortSignal): AbortSignal {
  if (!stopWithStdin) return signal;
  const over = new AbortController();
  const end = (): void => over.abort(new Error('standard input has ended'));
  process.stdin.on('end', end).on('error', end).resume();
  return AbortSignal.any([signal, over.signal]);
}
