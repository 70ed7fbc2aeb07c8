/** What a command ends with. More are never added lightly: scripts depend on them. */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  notFound: 3,
  denied: 4,
  conflict: 5,
  unavailable: 6,
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The outside of a command. Results go to `out`, everything said to a person goes to `err`. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  /** A person reads `err`, as it comes. */
  readonly errIsTerminal: boolean;
  /** A person reads `out`, and nothing keeps it. */
  readonly outIsTerminal?: boolean;
  /** Of the terminal that `out` is, which may become larger or smaller. */
  size?(): { readonly columns: number; readonly rows: number };
  /** Asks whoever sits there, and waits for the line that is typed. Absent where nobody could answer. */
  ask?(question: string, signal: AbortSignal): Promise<string>;
  /** With HOME, where there is one: a command asks the system for no other. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface Command {
  /** What `--help` shows. */
  help(): string;
  /** Ends early, in its own good order, when the signal aborts. */
  run(args: readonly string[], io: Io, signal: AbortSignal): Promise<ExitCode>;
}

/** A command by its name, as `fleetshift help` lists it. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** For programs: no list shows it. */
  readonly hidden?: true;
  /** Loads it when it is asked for, so that a small command never waits for the modules of a big one. */
  readonly load: () => Promise<Command>;
}

/** The words are wrong, not the world: the caller gets exit code 2 and is sent to the help. */
export class UsageError extends Error {}
