import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { PATIENCE_MS } from '#testing/patience';
import { MAIN } from '#testing/product';
import { ServerProcess } from '#testing/server-process';

export interface FleetletHome {
  readonly folder: string;
  readonly socket: string;
  write(name: string, content: string): Promise<string>;
  /** Starts a real process; resolves when it serves, or has ended. */
  start(flags: readonly string[], environment?: Readonly<Record<string, string>>): Promise<FleetletProcess>;
}

export interface FleetletProcess {
  readonly process: ServerProcess;
  /** Waits until the log matches. */
  readonly says: (pattern: RegExp) => Promise<string>;
}

/** A folder for a fleetlet and its processes, cleaned up after the test. */
export async function fleetletHome(t: Pick<TestContext, 'after'>): Promise<FleetletHome> {
  const folder = await mkdtemp(join(tmpdir(), 'fleetshift-fleetlet-'));
  const running: ServerProcess[] = [];
  t.after(async () => {
    await Promise.all(running.map((process) => process.stop('SIGKILL')));
    await rm(folder, { recursive: true, force: true });
  });
  const data = join(folder, 'data');
  return {
    folder,
    socket: join(data, 'fleetlet.sock'),
    write: async (name, content) => {
      await writeFile(join(folder, name), content);
      return join(folder, name);
    },
    start: async (flags, environment = {}) => {
      const log = join(folder, `log-${running.length}`);
      const process_ = new ServerProcess({
        program: process.execPath,
        args: [MAIN, 'fleetlet', '--data', data, '--log-format', 'json', ...flags],
        folder,
        log,
        env: { NODE_NO_WARNINGS: '1', ...environment },
      });
      running.push(process_);
      const says = (pattern: RegExp): Promise<string> => saysWithin(process_, log, pattern);
      await says(/"msg":"serving"|^fleetshift fleetlet: /m);
      return { process: process_, says };
    },
  };
}

async function saysWithin(process_: ServerProcess, log: string, pattern: RegExp): Promise<string> {
  const late = Date.now() + PATIENCE_MS;
  for (;;) {
    const said = await readFile(log, 'utf8');
    if (pattern.test(said)) return said;
    if (process_.hasEnded || Date.now() > late) throw new Error(`it did not say ${pattern}, but:\n${said}`);
    await delay(20);
  }
}
