import { helpText, suggestion } from '#kit/config';
import { type Command, type ExitCode, type Io, UsageError } from '../../command.ts';
import { confirmRemoval } from './rollout/confirm-removal.ts';
import {
  abandon,
  abort,
  acceptRevision,
  approve,
  pause,
  reject,
  replan,
  resume,
  retry,
} from './rollout/plain-verbs.ts';
import { rollBack } from './rollout/roll-back.ts';
import { ROLLOUT_SETTINGS } from './rollout/rollout-settings.ts';
import { ROLLOUT_VERBS, type RolloutVerb } from './rollout/rollout-verbs.ts';
import { showStatus } from './rollout/show-status.ts';

type Run = (args: readonly string[], io: Io, signal: AbortSignal) => Promise<ExitCode>;

const RUNS: Readonly<Record<RolloutVerb, Run>> = {
  status: showStatus,
  pause,
  resume,
  approve,
  reject,
  rollback: rollBack,
  retry,
  abort,
  replan,
  'confirm-removal': confirmRemoval,
  'accept-revision': acceptRevision,
  abandon,
};

const VERBS = Object.keys(ROLLOUT_VERBS);

export const rollout: Command = {
  help: () => {
    const width = Math.max(...VERBS.map((verb) => verb.length)) + 2;
    const lines = Object.entries(ROLLOUT_VERBS).map(([verb, summary]) => `  ${verb.padEnd(width)}${summary}`);
    return helpText({
      usage: `fleetshift rollout ${VERBS.join('|')} NAME [flags]`,
      summary: `Shows and controls the rollout of a deployment.\n\n${lines.join('\n')}`,
      settings: ROLLOUT_SETTINGS,
    });
  },
  async run([word, ...args], io, signal) {
    if (word === undefined) throw new UsageError(`missing action: one of ${VERBS.join(', ')}`);
    const verb = VERBS.find((each) => each === word) as RolloutVerb | undefined;
    if (verb !== undefined) return await RUNS[verb](args, io, signal);
    const act = 'see: fleetshift rollout --help';
    throw new UsageError(`unknown action "${word}"${suggestion(word, VERBS)}\n${act}`);
  },
};
