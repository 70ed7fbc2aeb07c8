/** The exit codes. Scripts depend on them, so new ones are rare. */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  notFound: 3,
  denied: 4,
  conflict: 5,
  unavailable: 6,
  /** A watched rollout goes on once a person acts: approves, resumes, confirms. */
  waiting: 7,
  /** The time that the caller gave is over, and the work goes on. */
  timedOut: 8,
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The environment of a command. Results go to `out`, messages for people go to `err`. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  /** Whether `err` is a terminal. */
  readonly errIsTerminal: boolean;
  /** Whether `out` is a terminal. */
  readonly outIsTerminal?: boolean;
  /** The size of the terminal behind `out`, which may change. */
  size?(): { readonly columns: number; readonly rows: number };
  /** Prompts the user and waits for a line. Absent when there is no terminal to answer from. */
  readonly ask?: ((question: string, signal: AbortSignal) => Promise<string>) | undefined;
  /** Includes HOME where it exists; commands use no other source for the home directory. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface Command {
  /** What `--help` shows. */
  help(): string;
  /** Ends early and cleanly when the signal aborts. */
  run(args: readonly string[], io: Io, signal: AbortSignal): Promise<ExitCode>;
}

/** A command by its name, as listed by `fleetshift help`. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** Hidden from lists; called by programs. */
  readonly hidden?: true;
  /** Loads the command on demand, so that a small command does not wait for the modules of a large one. */
  readonly load: () => Promise<Command>;
}

/** The arguments are invalid: the process exits with code 2 and points to the help. */
export class UsageError extends Error {}
