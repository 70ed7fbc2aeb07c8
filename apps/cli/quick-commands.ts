import type { CommandEntry } from './command.ts';

/**
 * The commands that people and scripts run most often. In the package they have their own bundle with as few files as
 * possible: bundled with the other commands, every shared module would become a file of its own.
 */
export const GET: CommandEntry = {
  name: 'get',
  summary: 'list resources, or show some of them',
  load: async () => (await import('./commands/resources/get.ts')).get,
};

export const VERSION: CommandEntry = {
  name: 'version',
  summary: 'show the version',
  load: async () => (await import('./commands/version.ts')).version,
};
