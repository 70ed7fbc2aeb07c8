import { helpText } from '#kit/config';
import { PermittedSubjectsSchema } from '#protocol/api';
import { type Command, EXIT } from '../../command.ts';
import { subjectCell } from '../../kinds/cells.ts';
import { printable } from '../../output/printable.ts';
import { allPages } from './all-pages.ts';
import { readWhoCan, WHO_CAN_SETTINGS } from './question.ts';

export const whoCan: Command = {
  help: () =>
    helpText({
      usage: 'fleetshift who-can PERMISSION | VERB KIND [flags]',
      summary:
        'Lists the users, groups and service accounts that have the permission, granted there or inherited. Exits with 1 when there are\nnone.',
      settings: WHO_CAN_SETTINGS,
    }),
  async run(args, io, signal) {
    const { api, body } = readWhoCan(args, io);
    const subjects = await allPages((which) => {
      const call = { path: ['access'], verb: 'lookupSubjects', body: { ...body, ...which } };
      return api.post(PermittedSubjectsSchema, call, signal);
    });
    for (const subject of subjects) io.out(`${printable(subjectCell(subject))}\n`);
    return subjects.length > 0 ? EXIT.ok : EXIT.failure;
  },
};
