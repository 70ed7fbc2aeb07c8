import { helpText } from '#kit/config';
import { AccessVerdictSchema } from '#protocol/api';
import { type Command, EXIT } from '../../command.ts';
import { QUESTION_SETTINGS, readQuestion } from './question.ts';

export const canI: Command = {
  help: () =>
    helpText({
      usage: 'fleetshift can-i PERMISSION | VERB KIND [flags]',
      summary:
        'Prints yes, or prints no and exits with 1: "fleetshift can-i targets.cordon -w web", "fleetshift can-i create workspaces".',
      settings: QUESTION_SETTINGS,
    }),
  async run(args, io, signal) {
    const { api, body } = readQuestion(args, io);
    const { allowed, attributes } = await api.post(
      AccessVerdictSchema,
      { path: ['access'], verb: 'check', body },
      signal,
    );
    io.out(allowed ? 'yes\n' : 'no\n');
    for (const set of attributes) io.out(`  with ${JSON.stringify(set)}\n`);
    return allowed ? EXIT.ok : EXIT.failure;
  },
};
