import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { logToStderr } from '../log-to-stderr.ts';
import { PATIENCE_MS } from '../patience.ts';
import { installSdk } from './install-sdk.ts';
import { findServerProgram } from './server-program.ts';
import { startServer, type TemporalServer } from './start-server.ts';

/** A Temporal namespace for one test. */
export interface TestNamespace {
  /** `127.0.0.1:port`. */
  readonly address: string;
  /** The same service as JSON, for access independent of our client. */
  readonly http: string;
  readonly namespace: string;
}

/** Tells test processes about the server started for all of them. */
export const SHARED_SERVER = 'FLEETSHIFT_TEST_TEMPORAL';

export type SharedServer = Pick<TemporalServer, 'address' | 'http'>;

/**
 * A namespace for this test alone, on the server started by the test runner, or else on one for this process alone.
 * `undefined`, after a prominent line on stderr, where neither is available.
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
 * Starts one server for all test processes, which find it by `SHARED_SERVER` in their environment. The first time,
 * building it and installing the SDK takes minutes. `undefined`, after a prominent log line, where Go is not available.
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

/** The server's services learn of a new namespace at different times. */
async function untilUsable(http: string, namespace: string): Promise<void> {
  const deadline = AbortSignal.timeout(PATIENCE_MS);
  const look = `${http}/api/v1/namespaces/${namespace}/workflows/nobody`;
  for (;;) {
    const answer = await fetch(look, { signal: deadline });
    if (/workflow not found/i.test(await answer.text())) return;
    await delay(100, undefined, { signal: deadline });
  }
}
