import { helpText, suggestion } from '#kit/config';
import { type Command, type ExitCode, type Io, UsageError } from '../command.ts';
import { cordon, uncordon } from './cordon.ts';
import { ENROLL_SETTINGS, enrollTarget } from './target/enroll-target.ts';

type Verb = (args: readonly string[], io: Io, signal: AbortSignal) => Promise<ExitCode>;

const VERBS: Readonly<Record<string, Verb>> = {
  enroll: enrollTarget,
  cordon: (args, io, signal) => cordon.run(args, io, signal),
  uncordon: (args, io, signal) => uncordon.run(args, io, signal),
};

const SUMMARY = `Lets machines come in, and steers what they are delivered.

  enroll [NAME...]  makes a bootstrap token, and prints the command that a machine enrols with;
                    with names, the token is for these targets only
  cordon NAME...    lets targets keep what they have, and get nothing new
  uncordon NAME...  lets them get new things again

"fleetshift get bootstrap-tokens" lists the tokens, "fleetshift get fleetlets" who has enrolled.`;

export const target: Command = {
  help: () =>
    helpText({
      usage: 'fleetshift target enroll|cordon|uncordon [NAME...] [flags]',
      summary: SUMMARY,
      settings: ENROLL_SETTINGS,
    }),
  async run([word, ...args], io, signal) {
    if (word === undefined) throw new UsageError(`say what to do: ${Object.keys(VERBS).join(', ')}`);
    const verb = Object.hasOwn(VERBS, word) ? VERBS[word] : undefined;
    if (verb !== undefined) return await verb(args, io, signal);
    const known = suggestion(word, Object.keys(VERBS));
    throw new UsageError(`"${word}" cannot be done with targets${known}\nfleetshift target --help lists what can`);
  },
};
