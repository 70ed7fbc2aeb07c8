import { helpText, suggestion } from '#kit/config';
import { type Command, type ExitCode, type Io, UsageError } from '../../command.ts';
import { listWorkflows } from './workflow/list-workflows.ts';
import { showWorkflow } from './workflow/show-workflow.ts';
import { cancelWorkflow, pauseWorkflow, resumeWorkflow } from './workflow/steer-workflow.ts';
import { WORKFLOW_SETTINGS } from './workflow/workflow-settings.ts';

type Verb = (args: readonly string[], io: Io, signal: AbortSignal) => Promise<ExitCode>;

const VERBS: Readonly<Record<string, Verb>> = {
  list: listWorkflows,
  show: showWorkflow,
  cancel: cancelWorkflow,
  pause: pauseWorkflow,
  resume: resumeWorkflow,
};

const SUMMARY = `Shows and controls the workflows of a platform.

  list       lists the workflows, newest first
  show ID    shows one of them: what it waits for, since when, and what lets it continue
  cancel ID  cancels what it waits for; the workflow may still clean up
  pause ID   lets running work finish, and starts nothing new
  resume ID  lets it continue`;

export const workflow: Command = {
  help: () =>
    helpText({
      usage: 'fleetshift workflow list|show|cancel|pause|resume [ID] [flags]',
      summary: SUMMARY,
      settings: WORKFLOW_SETTINGS,
    }),
  async run([word, ...args], io, signal) {
    if (word === undefined) throw new UsageError(`missing action: one of ${Object.keys(VERBS).join(', ')}`);
    const verb = Object.hasOwn(VERBS, word) ? VERBS[word] : undefined;
    if (verb !== undefined) return await verb(args, io, signal);
    const known = suggestion(word, Object.keys(VERBS));
    throw new UsageError(`unknown action "${word}"${known}\nsee: fleetshift workflow --help`);
  },
};
