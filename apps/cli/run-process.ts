import { homedir } from 'node:os';
import { isatty } from 'node:tty';
import type { CommandEntry, Io } from './command.ts';
import { runCli } from './run-cli.ts';

/** The second signal exits immediately. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;

/** Runs the command of this process, then exits. */
export async function runProcess(commands: readonly CommandEntry[]): Promise<never> {
  const stop = new AbortController();
  for (const [name, code] of Object.entries(SIGNALS)) {
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(code);
      stop.abort(new Error(`stopped by ${name}`));
    });
  }
  const output = new Output((reason) => stop.abort(reason));
  // Terminals are looked for when a command asks: Node's module for them takes as long to load as the rest of a small command.
  const io: Io = {
    out: (text) => output.write('stdout', text),
    err: (text) => output.write('stderr', text),
    get errIsTerminal() {
      return isatty(2);
    },
    get outIsTerminal() {
      return isatty(1);
    },
    size: () => ({ columns: process.stdout.columns, rows: process.stdout.rows }),
    get ask() {
      return isatty(2) && isatty(0) ? ask : undefined;
    },
    environment: withHome(process.env),
  };
  const code = await runCli(process.argv.slice(2), { commands, io }, stop.signal);
  await output.flush();
  // A forgotten handle must not keep a finished command alive.
  process.exit(code);
}

/** Both output streams, each opened on first use so that a request does not wait for them. */
class Output {
  readonly #opened = new Map<string, NodeJS.WriteStream>();
  readonly #stop: (reason: Error) => void;

  constructor(stop: (reason: Error) => void) {
    this.#stop = stop;
  }

  write(name: 'stdout' | 'stderr', text: string): void {
    (this.#opened.get(name) ?? this.#open(name)).write(text);
  }

  async flush(): Promise<void> {
    await Promise.all([...this.#opened.values()].map(flushed));
  }

  #open(name: 'stdout' | 'stderr'): NodeJS.WriteStream {
    const stream = process[name];
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // The reader of our output went away, as `head` does: the command stops without an error.
      if (error.code !== 'EPIPE') throw error;
      if (name === 'stdout') this.#stop(new Error('output closed by the reader'));
    });
    this.#opened.set(name, stream);
    return stream;
  }
}

/** The terminal keeps its mode, so Ctrl-C still sends a signal. */
async function ask(question: string, signal: AbortSignal): Promise<string> {
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  try {
    return await lines.question(question, { signal });
  } finally {
    lines.close();
  }
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}

/** Commands find the home directory in the environment only; a service manager may have left it out. */
function withHome(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (environment['HOME'] !== undefined) return environment;
  try {
    return { ...environment, HOME: homedir() };
  } catch {
    // A container may run as a user without an account.
    return environment;
  }
}
