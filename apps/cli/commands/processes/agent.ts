import { helpText, type Settings, suggestion, type Values } from '#kit/config';
import type { ProcessCommand } from '#runtime/process/process-command';
import { directoryAgentProcess } from '../../../directory-agent/command.ts';
import { kubernetesAgentProcess } from '../../../kubernetes-agent/command.ts';
import { type Command, type ExitCode, type Io, UsageError } from '../../command.ts';
import { startProcess } from './start-process.ts';

const SUMMARY = `Runs an agent until SIGTERM or SIGINT: it registers targets at the local fleetlet and delivers to them.

  directory   writes documents as files below the folder of each target
  kubernetes  applies documents to the cluster that it runs in, or to those of a kubeconfig`;

type Start = (args: readonly string[], io: Io, signal: AbortSignal) => Promise<ExitCode>;

const KINDS: Readonly<Record<string, Start>> = {
  directory: (args, io, signal) => startProcess(untilStdinEnds(directoryAgentProcess), { args, io }, signal),
  kubernetes: (args, io, signal) => startProcess(untilStdinEnds(kubernetesAgentProcess), { args, io }, signal),
};

export const agent: Command = {
  help: () =>
    [
      helpText({
        usage: 'fleetshift agent directory --target NAME=FOLDER... [flags]',
        summary: SUMMARY,
        settings: directoryAgentProcess.settings,
      }),
      helpText({
        usage: 'fleetshift agent kubernetes [--kubeconfig FILE [--target NAME=CONTEXT]...] [flags]',
        summary: 'In a Pod it serves its own cluster, with its service account.',
        settings: kubernetesAgentProcess.settings,
      }),
    ].join('\n'),
  async run([kind, ...args], io, signal) {
    const start = kind !== undefined && Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
    if (start !== undefined) return await start(args, io, signal);
    const names = Object.keys(KINDS);
    const known = kind === undefined ? '' : suggestion(kind, names);
    const wrong = kind === undefined ? 'missing agent type' : `unknown agent type ${kind}`;
    throw new UsageError(`${wrong}: ${names.join(', ')}${known}`);
  },
};

/** An agent may end with the program that started it, which keeps a pipe to its standard input. */
function untilStdinEnds<S extends Settings>(agentProcess: ProcessCommand<S>): ProcessCommand<S> {
  return {
    ...agentProcess,
    run: (config, surroundings, signal) => agentProcess.run(config, surroundings, stdinEnded(config, signal)),
  };
}

function stdinEnded<S extends Settings>(config: Values<S>, signal: AbortSignal): AbortSignal {
  if (!('stopWithStdin' in config) || config.stopWithStdin !== true) return signal;
  const over = new AbortController();
  const end = (): void => over.abort(new Error('standard input has ended'));
  process.stdin.on('end', end).on('error', end).resume();
  return AbortSignal.any([signal, over.signal]);
}
