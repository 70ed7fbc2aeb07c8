import type { Command } from './command.ts';

export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** Loads it when it is asked for, so that a small command never waits for the modules of a big one. */
  readonly load: () => Promise<Command>;
}

/** In the order in which help lists them. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'serve',
    summary: 'run the platform: REST API, events and documentation',
    load: async () => (await import('./commands/serve.ts')).serve,
  },
  {
    name: 'workflow',
    summary: 'look at what a platform executes durably, and steer it',
    load: async () => (await import('./commands/workflow.ts')).workflow,
  },
  {
    name: 'version',
    summary: 'show the version',
    load: async () => (await import('./commands/version.ts')).version,
  },
];
