import { WorkflowRequestSchema } from '#protocol/api';
import type { ApiClient } from '../../../client/api-client.ts';
import { readClientCommand } from '../../../client/client-command.ts';
import { EXIT, type ExitCode, type Io } from '../../../command.ts';
import { printable } from '../../../output/printable.ts';
import { CANCEL_SETTINGS, STEER_SETTINGS } from './workflow-settings.ts';

export async function cancelWorkflow(args: readonly string[], io: Io, signal: AbortSignal): Promise<ExitCode> {
  const { api, values, positionals } = readClientCommand({ settings: CANCEL_SETTINGS, expects: ['ID'] }, args, io);
  const { reason, dryRun } = values;
  return await steer({ api, io, verb: 'cancel', id: positionals[0] ?? '', dryRun, body: { reason } }, signal);
}

export async function pauseWorkflow(args: readonly string[], io: Io, signal: AbortSignal): Promise<ExitCode> {
  const { api, values, positionals } = readClientCommand({ settings: STEER_SETTINGS, expects: ['ID'] }, args, io);
  return await steer({ api, io, verb: 'pause', id: positionals[0] ?? '', dryRun: values.dryRun }, signal);
}

export async function resumeWorkflow(args: readonly string[], io: Io, signal: AbortSignal): Promise<ExitCode> {
  const { api, values, positionals } = readClientCommand({ settings: STEER_SETTINGS, expects: ['ID'] }, args, io);
  return await steer({ api, io, verb: 'resume', id: positionals[0] ?? '', dryRun: values.dryRun }, signal);
}

const DONE = {
  cancel: 'cancel recorded; the workflow may still clean up',
  pause: 'pause recorded; running work finishes',
  resume: 'resume recorded',
} as const;

interface Steering {
  readonly api: ApiClient;
  readonly io: Io;
  readonly verb: keyof typeof DONE;
  readonly id: string;
  readonly dryRun: boolean;
  readonly body?: object;
}

async function steer({ api, io, verb, id, dryRun, body }: Steering, signal: AbortSignal): Promise<ExitCode> {
  const call = { path: ['workflows', id], verb, ...(dryRun ? { query: { dryRun } } : {}), ...(body ? { body } : {}) };
  await api.post(WorkflowRequestSchema, call, signal);
  io.err(`${printable(id)}: ${dryRun ? `the ${verb} can be done` : DONE[verb]}\n`);
  return EXIT.ok;
}
