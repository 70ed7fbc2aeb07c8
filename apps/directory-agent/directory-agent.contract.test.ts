import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DeliveryAgent } from '#contexts/delivery';
import { DirectoryAgent } from '#contexts/directory';
import { openFolder } from '#contexts/directory/adapters';
import { sleep } from '#kit/std';
import type { TargetRef } from '#protocol/targets';
import { aDocument, aTarget } from '../../contexts/delivery/testing/an-order.ts';
import { channelPair } from '../../contexts/delivery/testing/channel-pair.ts';
import { deliveryAgentContract, type OpenedAgent } from '../../contexts/delivery/testing/delivery-agent-contract.ts';
import { RecordingReports } from '../../contexts/delivery/testing/recording-reports.ts';

const TARGET: TargetRef = aTarget(1, { type: 'directory' });
const FILE = { apiVersion: 'directory.fleetshift.io/v1', kind: 'File' };
const CONTENTS = [
  [{ ...FILE, path: 'etc/app.conf', content: 'greeting=hello\n' }, aDocument('one')],
  [{ ...FILE, path: 'etc/other.conf', content: 'greeting=hi\n', mode: '0600' }],
] as const;

async function open(_signal: AbortSignal, throughChannels: boolean): Promise<OpenedAgent> {
  const path = await mkdtemp(join(tmpdir(), 'fleetshift-directory-'));
  const over = new AbortController();
  const reports = new RecordingReports();
  const pair = channelPair({ reports, signal: over.signal });
  const onTrouble = (error: unknown): void => {
    throw error;
  };
  const folder = { target: TARGET, ...(await openFolder({ path, allowsCommands: false, now: Date.now })) };
  const ear = throughChannels ? pair.server.reports : reports;
  const agent = new DirectoryAgent({ reports: ear, sleep, onTrouble, lookEveryMs: 30_000 });
  await agent.add(folder);
  const running = [agent.run(over.signal), pair.intake.run(over.signal)];
  if (throughChannels) {
    pair.server.serve(agent);
    await pair.server.connected(TARGET, over.signal);
    reports.clear();
  }
  const asked: DeliveryAgent = throughChannels ? pair.agent : agent;
  return {
    agent: asked,
    target: TARGET,
    reports,
    contents: CONTENTS,
    reconnect: async () => {
      const change = { target: TARGET, time: 0 };
      await reports.connectionChanged([{ ...change, isOnline: false }]);
      await reports.connectionChanged([{ ...change, isOnline: true }]);
      if (throughChannels) await pair.server.connected(TARGET, over.signal);
      else await reports.inventory([await agent.inventory(TARGET, over.signal)]);
    },
    close: async () => {
      over.abort();
      await Promise.all(running);
      await rm(path, { recursive: true, force: true });
    },
  };
}

deliveryAgentContract('directory', { open: async (signal) => await open(signal, false) });
deliveryAgentContract('directory at the other end of channels', { open: async (signal) => await open(signal, true) });
