import { hostname } from 'node:os';
import type { LocalClient, TargetClaim } from '#contexts/channels';
import { connectLocal } from '#contexts/channels/adapters';
import type { DeliveryServer } from '#contexts/delivery/adapters';
import { DirectoryAgent, type FolderDeps } from '#contexts/directory';
import { openFolder } from '#contexts/directory/adapters';
import { aborted, sleep, systemClock } from '#kit/std';
import type { Logger } from '#kit/telemetry';
import { deliveryChannels } from '#runtime/agent-process/delivery-channels';
import { labelOf } from '#runtime/agent-process/label-of';
import { localEndpoint } from '#runtime/agent-process/local-endpoint';
import { stateLog } from '#runtime/agent-process/state-log';
import { registerTarget, type TargetRegistration } from '#runtime/agent-process/target-registration';
import { processLog, type Surroundings } from '#runtime/process/process-command';
import type { DirectoryAgentConfig, ServedFolder } from './config.ts';

export interface RunOptions extends Surroundings {
  readonly config: DirectoryAgentConfig;
}

interface Parts {
  readonly client: LocalClient;
  readonly server: DeliveryServer;
  readonly agent: DirectoryAgent;
  readonly log: Logger;
}

const TYPE = 'directory';
const FAREWELL_MS = 2_000;

/** Runs until the signal aborts. Orders that were accepted but not completed are completed after the next start. */
export async function runDirectoryAgent({ config, version, err }: RunOptions, signal: AbortSignal): Promise<void> {
  const log = processLog(config, err);
  const stop = new AbortController();
  const client = connectLocal({ ...localEndpoint(config), process: 'directory-agent', onState: stateLog(log) });
  const server = deliveryChannels(client, { log, signal: stop.signal });
  const onTrouble = (error: unknown): void => log.warn({ err: error }, 'folder operation failed; retrying');
  const agent = new DirectoryAgent({ reports: server.reports, sleep, onTrouble, lookEveryMs: config.lookEvery });
  server.serve(agent);
  const parts = { client, server, agent, log };
  const targets: TargetRegistration[] = [];
  for (const served of config.target) targets.push(await register(parts, { served, config, version }, stop.signal));
  log.info({ version, count: targets.length }, 'serving');
  const running = Promise.all([client.run(stop.signal), agent.run(stop.signal)]);
  await Promise.race([running, aborted(signal)]);
  // Deregisters, so that the platform does not wait for the targets to come back.
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

/** The folder is opened first: a target is only registered if its folder is usable. */
async function register(
  parts: Parts,
  { served, config, version }: Wanted,
  signal: AbortSignal,
): Promise<TargetRegistration> {
  const { name, folder: path } = served;
  const now = (): number => systemClock.now();
  const folder = await openFolder({ path, allowsCommands: config.allowCommands, now });
  parts.log.info({ subject: `targets/${name}`, file: path }, 'serving folder');
  return registerTarget(
    { ...parts, signal },
    {
      claim: claimOf(name, folder, version),
      take: async (target) => await parts.agent.add({ ...folder, target }),
    },
  );
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
