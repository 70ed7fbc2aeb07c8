import type { CommandEntry } from './command.ts';

/**
 * What people type all day, and scripts in loops. In the package these commands are a bundle of their own, in as few files as
 * can be: together with the others, what they share with each of those would be a file each.
 */
export const GET: CommandEntry = {
  name: 'get',
  summary: 'list things of a kind, or show some of them',
  load: async () => (await import('./commands/get.ts')).get,
};

export const VERSION: CommandEntry = {
  name: 'version',
  summary: 'show the version',
  load: async () => (await import('./commands/version.ts')).version,
};
