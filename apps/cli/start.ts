import './assert-node.ts';
import { createInterface } from 'node:readline/promises';
import { COMMANDS } from './commands.ts';
import { runCli } from './run-cli.ts';

/** The second signal means now. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;

const stop = new AbortController();
for (const [name, code] of Object.entries(SIGNALS)) {
  process.on(name, () => {
    if (stop.signal.aborted) process.exit(code);
    stop.abort(new Error(`stopped by ${name}`));
  });
}
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // Whoever read our output went away, as `head` does: there is nobody left to work for, and nothing to complain about.
    if (error.code !== 'EPIPE') throw error;
    if (stream === process.stdout) stop.abort(new Error('nobody reads the output any more'));
  });
}

const io = {
  out: (text: string) => void process.stdout.write(text),
  err: (text: string) => void process.stderr.write(text),
  errIsTerminal: process.stderr.isTTY,
  outIsTerminal: process.stdout.isTTY,
  size: () => ({ columns: process.stdout.columns, rows: process.stdout.rows }),
  ...(process.stdin.isTTY && process.stderr.isTTY ? { ask } : {}),
  environment: process.env,
};
const code = await runCli(process.argv.slice(2), { commands: COMMANDS, io }, stop.signal);
await Promise.all([process.stdout, process.stderr].map(flushed));
// A handle that something forgot must not keep a finished command alive.
process.exit(code);

/** The terminal stays as it is, so that Ctrl-C is the signal that it always was. */
async function ask(question: string, signal: AbortSignal): Promise<string> {
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
