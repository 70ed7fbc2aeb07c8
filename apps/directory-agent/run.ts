import { hostname } from 'node:os';
import type { LocalClient, LocalTarget, TargetClaim, UplinkState } from '#contexts/channels';
import { connectLocal } from '#contexts/channels/adapters';
import type { TargetId, TargetRef } from '#contexts/delivery';
import type { DeliveryServer } from '#contexts/delivery/adapters';
import { DirectoryAgent, type FolderDeps } from '#contexts/directory';
import { openFolder } from '#contexts/directory/adapters';
import { sleep, systemClock } from '#kit/std';
import { createLogger, type Logger } from '#kit/telemetry';
import type { DirectoryAgentConfig, ServedFolder } from './config.ts';
import { deliveryChannels } from './delivery-channels.ts';
import { localEndpoint } from './local-endpoint.ts';

export interface RunOptions {
  readonly config: DirectoryAgentConfig;
  readonly version: string;
  /** Where logs go. */
  readonly err: { write(text: string): void; readonly isTerminal: boolean };
}

interface Parts {
  readonly client: LocalClient;
  readonly server: DeliveryServer;
  readonly agent: DirectoryAgent;
  readonly log: Logger;
}

const TYPE = 'directory';
const FAREWELL_MS = 2_000;

/** Until the signal aborts. What was accepted and is not done is done after the next start. */
export async function runDirectoryAgent({ config, version, err }: RunOptions, signal: AbortSignal): Promise<void> {
  const pretty = config.logFormat === undefined ? err.isTerminal : config.logFormat === 'pretty';
  const log = createLogger({ level: config.logLevel, destination: err, pretty });
  const stop = new AbortController();
  const client = connectLocal({ ...localEndpoint(config), process: 'directory-agent', onState: stateLog(log) });
  const server = deliveryChannels(client, { log, signal: stop.signal });
  const onTrouble = (error: unknown): void => log.warn({ err: error }, 'a folder is in trouble; will try again');
  const agent = new DirectoryAgent({ reports: server.reports, sleep, onTrouble, lookEveryMs: config.lookEvery });
  server.serve(agent);
  const parts = { client, server, agent, log };
  const targets: LocalTarget[] = [];
  for (const served of config.target) targets.push(await register(parts, { served, config, version }, stop.signal));
  log.info({ version, count: targets.length }, 'serving');
  const running = Promise.all([client.run(stop.signal), agent.run(stop.signal)]);
  await Promise.race([running, aborted(signal)]);
  // So that nobody waits for it to come back.
  const farewell = AbortSignal.timeout(FAREWELL_MS);
  await Promise.allSettled(targets.map(async (target) => await target.deregister(farewell)));
  stop.abort();
  await running;
  log.info({}, 'stopped');
}

interface Wanted {
  readonly served: ServedFolder;
  readonly config: DirectoryAgentConfig;
  readonly version: string;
}

/** Its folder is opened first: one that cannot be used is nobody's target. */
async function register(parts: Parts, { served, config, version }: Wanted, signal: AbortSignal): Promise<LocalTarget> {
  const { client, server, agent, log } = parts;
  const { name, folder: path } = served;
  const now = (): number => systemClock.now();
  const folder = await openFolder({ path, allowsCommands: config.allowCommands, now });
  const refOf = (uid: string): TargetRef => ({ id: uid as TargetId, name, type: TYPE });
  let uid: string | undefined;
  const trouble = (err: unknown): void => {
    if (!signal.aborted) log.warn({ err, subject: `targets/${name}` }, 'could not say what is in the folder');
  };
  const take = async (id: string): Promise<void> => {
    await agent.add({ ...folder, target: refOf(id) });
    server.accepted(refOf(id));
  };
  const account = async (id: string): Promise<void> => {
    await take(id);
    await server.connected(refOf(id), signal);
  };
  return client.registerTarget(claimOf(name, folder, version), {
    accepted: (id) => {
      if (uid !== id) log.info({ subject: `targets/${name}`, file: path }, 'speaks for the target');
      if (uid !== undefined && uid !== id) server.gone(uid as TargetId);
      uid = id;
      take(id).catch(trouble);
    },
    refused: (reason, message) =>
      log.warn({ subject: `targets/${name}`, code: reason, reason: message }, 'the target was refused'),
    superseded: (message) =>
      log.warn({ subject: `targets/${name}`, reason: message }, 'somebody else speaks for the target now'),
    syncNow: () => {
      if (uid !== undefined) account(uid).catch(trouble);
    },
  });
}

function claimOf(name: string, { records }: Omit<FolderDeps, 'target'>, version: string): TargetClaim {
  return {
    name,
    type: TYPE,
    serving: 'colocated',
    labels: { os: process.platform, arch: process.arch, host: labelOf(hostname()) },
    properties: JSON.stringify({}),
    manifestTypes: [],
    instance: records.instance,
    agentVersion: version,
  };
}

/** Names of hosts may have what labels may not. */
function labelOf(text: string): string {
  return text
    .slice(0, 63)
    .replaceAll(/[^-A-Za-z0-9_.]/g, '-')
    .replaceAll(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '');
}

function stateLog(log: Logger): (state: UplinkState) => void {
  let said = '';
  return (state) => {
    if (state.kind === 'connecting') return;
    const key = state.kind === 'disconnected' ? state.why : state.kind;
    if (key === said) return;
    said = key;
    if (state.kind === 'connected') log.info({}, 'connected to the fleetlet');
    else if (state.kind === 'disconnected') log.warn({ reason: state.why }, 'no fleetlet; will try again');
    else
      log.error(
        { code: state.reason, reason: state.message },
        'the fleetlet refuses this process; will try again slowly',
      );
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
