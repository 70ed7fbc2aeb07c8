import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { logToStderr } from '../log-to-stderr.ts';
import { PATIENCE_MS } from '../patience.ts';
import { installSdk } from './install-sdk.ts';
import { findServerProgram } from './server-program.ts';
import { startServer, type TemporalServer } from './start-server.ts';

/** Where a test finds a Temporal of its own. */
export interface TestNamespace {
  /** `127.0.0.1:port`. */
  readonly address: string;
  /** Where its service is had as JSON, as from a tool that is not ours. */
  readonly http: string;
  readonly namespace: string;
}

/** What test processes are told about a server that was started for all of them. */
export const SHARED_SERVER = 'FLEETSHIFT_TEST_TEMPORAL';

export type SharedServer = Pick<TemporalServer, 'address' | 'http'>;

/**
 * A namespace that nobody else uses, on the server that the test runner started for all test processes, else on one for
 * this process alone. `undefined`, with a line on the standard error stream that cannot be missed, where neither is to be
 * had.
 */
export async function freshNamespace(): Promise<TestNamespace | undefined> {
  const server = await sharedServer();
  if (server === undefined) return undefined;
  const namespace = `test-${randomBytes(8).toString('hex')}`;
  const registered = await fetch(`${server.http}/api/v1/namespaces`, {
    method: 'POST',
    body: JSON.stringify({ namespace, workflowExecutionRetentionPeriod: '86400s' }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  if (!registered.ok) throw new Error(`register a namespace with Temporal: ${await registered.text()}`);
  await untilUsable(server.http, namespace);
  return { ...server, namespace };
}

/**
 * One server for all test processes, which learn of it by `SHARED_SERVER` in their environment. The first time ever it is
 * built, and the SDK installed, which takes minutes. `undefined`, after a loud line, where there is no Go to build it with.
 */
export async function startSharedServer(
  log: (line: string) => void = logToStderr,
): Promise<TemporalServer | undefined> {
  const program = await findServerProgram({ log });
  if (program === undefined) {
    log('SKIPPED: nothing is tested on Temporal, since there is no Go to build its server with');
    return undefined;
  }
  await installSdk(log);
  return await startServer(program);
}

let started: Promise<SharedServer | undefined> | undefined;

async function sharedServer(): Promise<SharedServer | undefined> {
  const shared = process.env[SHARED_SERVER];
  if (shared) return JSON.parse(shared) as SharedServer;
  started ??= startSharedServer().then((server) => server && { address: server.address, http: server.http });
  return await started;
}

/** The server's parts learn of a new namespace one after another. */
async function untilUsable(http: string, namespace: string): Promise<void> {
  const deadline = AbortSignal.timeout(PATIENCE_MS);
  const look = `${http}/api/v1/namespaces/${namespace}/workflows/nobody`;
  for (;;) {
    const answer = await fetch(look, { signal: deadline });
    if (/workflow not found/i.test(await answer.text())) return;
    await delay(100, undefined, { signal: deadline });
  }
}
