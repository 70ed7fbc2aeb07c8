import { readClientCommand } from '../../../client/client-command.ts';
import { type ExitCode, type Io, UsageError } from '../../../command.ts';
import { deploymentNamed } from './deployment-word.ts';
import { ANSWER_SETTINGS, GRAVE_SETTINGS, STEER_SETTINGS } from './rollout-settings.ts';
import { steerRollout } from './steer-rollout.ts';

type Verb = (args: readonly string[], io: Io, signal: AbortSignal) => Promise<ExitCode>;

export const pause = plainVerb('pause', 'paused; work in progress completes');
export const resume = plainVerb('resume', 'resumed');
export const replan = plainVerb('replan', 'replanned for the remaining targets');
export const approve = answerVerb('approve', 'approved');
export const reject = answerVerb('reject', 'rejected; the rollout pauses');

export const abort = graveVerb('abort', {
  done: 'aborted; targets that have it keep it',
  what: (name) => `The rollout of ${name} ends where it is, including deliveries in progress.`,
});
export const abandon = graveVerb('abandon', {
  done: 'abandoned',
  what: (name) => `${name} is forgotten, including anything that may still be on targets.`,
});

/** Targets may be named after the deployment; by default all whose agents are ahead. */
export const acceptRevision: Verb = async (args, io, signal) => {
  const command = readClientCommand({ settings: GRAVE_SETTINGS, expects: ['NAME'], more: true }, args, io);
  const { api, values, positionals, contextWorkspace } = command;
  const [word = '', ...targets] = positionals;
  const address = deploymentNamed({ word, workspace: values.workspace, contextWorkspace });
  const of = targets.length === 0 ? 'its targets' : targets.join(', ');
  const what = `${address.name} continues above the revision that the agents of ${of} claim to have seen. This cannot be undone.`;
  const body = targets.length === 0 ? {} : { targets };
  const done = `continues above the revision that ${of} claim`;
  const question = { what, isAgreed: values.yes };
  return await steerRollout({ ...values, api, io, address, verb: 'acceptRevision', body, done, question }, signal);
};

/** Targets may be named after the deployment; by default all that failed. */
export const retry: Verb = async (args, io, signal) => {
  const command = readClientCommand({ settings: STEER_SETTINGS, expects: ['NAME'], more: true }, args, io);
  const { api, values, positionals, contextWorkspace } = command;
  const [word = '', ...targets] = positionals;
  const address = deploymentNamed({ word, workspace: values.workspace, contextWorkspace });
  const body = targets.length === 0 ? {} : { targets };
  const done = `retrying ${targets.length === 0 ? 'failed targets' : targets.join(', ')}`;
  return await steerRollout({ ...values, api, io, address, verb: 'retry', body, done }, signal);
};

function plainVerb(verb: string, done: string): Verb {
  return async (args, io, signal) => {
    const command = readClientCommand({ settings: STEER_SETTINGS, expects: ['NAME'] }, args, io);
    const { api, values, positionals, contextWorkspace } = command;
    const address = deploymentNamed({ word: positionals[0] ?? '', workspace: values.workspace, contextWorkspace });
    return await steerRollout({ ...values, api, io, address, verb, done }, signal);
  };
}

function answerVerb(verb: 'approve' | 'reject', done: string): Verb {
  return async (args, io, signal) => {
    const command = readClientCommand({ settings: ANSWER_SETTINGS, expects: ['NAME'] }, args, io);
    const { api, values, positionals, contextWorkspace } = command;
    const { message } = values;
    if (verb === 'reject' && message === undefined) throw new UsageError('a rejection requires --message');
    const address = deploymentNamed({ word: positionals[0] ?? '', workspace: values.workspace, contextWorkspace });
    if (verb === 'reject' && values.override) throw new UsageError('--override is only for approve');
    const body = { ...(message === undefined ? {} : { message }), ...(values.override ? { override: true } : {}) };
    return await steerRollout({ ...values, api, io, address, verb, body, done }, signal);
  };
}

function graveVerb(verb: string, { done, what }: { done: string; what: (name: string) => string }): Verb {
  return async (args, io, signal) => {
    const command = readClientCommand({ settings: GRAVE_SETTINGS, expects: ['NAME'] }, args, io);
    const { api, values, positionals, contextWorkspace } = command;
    const address = deploymentNamed({ word: positionals[0] ?? '', workspace: values.workspace, contextWorkspace });
    const question = { what: what(address.name), isAgreed: values.yes };
    return await steerRollout({ ...values, api, io, address, verb, done, question }, signal);
  };
}
