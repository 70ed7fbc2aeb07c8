import { offerFirstAdminLogin } from '#contexts/identity/adapters';
import { runGroups } from '#kit/reconcile';
import { sleep, systemClock } from '#kit/std';
import type { Logger } from '#kit/telemetry';
import { databaseKind } from '#runtime/instance/database-kind';
import { processLog, type Surroundings } from '#runtime/process/process-command';
import { banner, urlsOf } from './banner.ts';
import type { PlatformConfig } from './config.ts';
import type { WorkflowSet } from './durable/workflow-set.ts';
import { type Platform, wirePlatform } from './wiring.ts';

export interface RunOptions extends Surroundings {
  readonly config: PlatformConfig;
  /** Workflows in addition to the platform's own. */
  readonly workflows?: WorkflowSet;
  /** Called once it serves. */
  readonly onServing?: (platform: Serving) => void;
}

export type Serving = Pick<Platform, 'http' | 'https' | 'authorityFile' | 'folder' | 'token' | 'fleetletSocket'>;

/** Serves until the signal aborts; then finishes open requests and releases everything. */
export async function runPlatform(options: RunOptions, signal: AbortSignal): Promise<void> {
  const { config, version, environment, err, workflows } = options;
  const log = processLog(config, err);
  const wanted = {
    config,
    version,
    environment,
    log,
    atTerminal: err.isTerminal,
    ...(workflows === undefined ? {} : { workflows }),
  };
  const platform = await wirePlatform(wanted, signal);
  try {
    // Before serving is announced, so that scripts that wait for it find the login code.
    await offerLogin(platform, options, { log, signal });
    announce(platform, options, log);
    options.onServing?.(platform);
    await runGroups(platform.groups, signal, { log });
  } finally {
    await closeInTime(platform, log);
  }
  log.info({}, 'stopped');
}

/** Far more than needed; an unresponsive database must not keep a stopping process alive. */
const CLOSE_MS = 5_000;

async function closeInTime(platform: Platform, log: Logger): Promise<void> {
  const closed = new AbortController();
  const late = sleep(CLOSE_MS, closed.signal).then(
    () => log.warn({ deadlineMs: CLOSE_MS }, 'shutdown timeout: not everything was closed; exiting'),
    () => undefined,
  );
  await Promise.race([platform.close(), late]);
  closed.abort();
}

/** A log line in any case, for scripts that asked for port 0; and a banner for a person at a terminal. */
function announce(platform: Platform, { config, version, err }: RunOptions, log: Logger): void {
  const { http, https, fleetlets, folder, token, authorityFile } = platform;
  const { engine } = config.database;
  if (token?.created) log.info({ file: token.file }, 'admin token created');
  log.info({ version, address: urlsOf({ http, https }), engine, file: folder.path }, 'serving');
  if (!err.isTerminal) return;
  const database = databaseKind.print(config.database);
  const files = { data: folder.path, tokenFile: token?.file, authorityFile };
  err.write(banner({ version, http, https, fleetlets, database, ...files }));
}

/** The first login for a person. Not needed with development authentication. */
async function offerLogin(
  { storage, folder, http, https }: Platform,
  { config, terminal }: RunOptions,
  { log, signal }: { readonly log: Logger; readonly signal: AbortSignal },
): Promise<void> {
  if (config.insecureDevAuth) return;
  const [url] = urlsOf({ http, https });
  const loginUrl = url && `${url}/login`;
  const deps = { storage, clock: systemClock, terminal, dataFolder: folder.path, loginUrl };
  const offered = await offerFirstAdminLogin(deps, signal).catch((error: unknown) => {
    // Already stopping; the next start offers one.
    if (signal.aborted) return { kind: 'none' } as const;
    throw error;
  });
  if (offered.kind === 'file') log.info({ file: offered.file }, 'one-time login for the administrator created');
}
