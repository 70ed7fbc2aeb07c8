import assert from 'node:assert/strict';
import { leaveAdminCode } from '#contexts/identity/adapters';
import type { Platform, PlatformHome } from '#testing/platform-process';
import { enrolledFleetlet, grpcOf } from '../../apps/platform/channels/testing/enrolled-fleetlet.ts';
import { ScriptedFleetlet } from '../../apps/platform/channels/testing/scripted-fleetlet.ts';
import { eventually } from '../../kit/durable/testing/eventually.ts';
import { made } from '../access/callers.ts';
import { makeMatrixWorld } from '../access/matrix-world.ts';
import { DeploymentClient, saying } from '../rollouts/deployment-client.ts';

/** Registers a cleanup. */
export type AtEnd = (close: () => Promise<void>) => void;

const WORKSPACE = 'shop';

/** Tables that stay empty here, each with the reason. */
export const UNWRITTEN: Readonly<Record<string, string>> = {
  audit_days: 'written at the end of a day',
  durable_attempts: 'written when an activity fails',
  identity_revocations: 'written when a token of an issuer is logged out',
  instance_marks: 'written by `fleetshift restore`',
  outbox_dead_letters: 'written when a consumer of events gives up',
  outbox_deferred: 'written when a consumer of events fails',
  outbox_held_keys: 'written when a consumer of events fails',
  outbox_sequencer: 'never has rows',
  rollout_snapshots: 'written by rollouts of many turns',
};

/** Uses a platform with simulated targets through its API and its channels, so that every module writes. */
export async function writeEverywhere(platform: Platform, home: PlatformHome, atEnd: AtEnd): Promise<void> {
  const world = await makeMatrixWorld(platform, atEnd);
  await logInAndOut(platform, home);
  const [place = assert.fail('no place')] = world.places;
  const target = String(place.params['target']);
  await changed(platform, 'PUT', `/v1/targets/${target}/scores/load`, { value: 3 });
  await changed(platform, 'PUT', `/v1/targets/${target}/passthrough`, { issuer: 'corp', audience: 'cluster' });
  const body = { name: 'once' };
  await platform.request('/v1/workspaces', { method: 'POST', body, headers: { 'idempotency-key': 'once' } });
  await setAside(platform, String(place.params['workspace']), atEnd);
  await deploy(platform);
}

async function logInAndOut(platform: Platform, { data }: PlatformHome): Promise<void> {
  const { code } = leaveAdminCode(data, Date.now());
  const { token } = await changed(platform, 'POST', '/v1/login:redeem', { code, kind: 'cli' });
  const headers = { authorization: `Bearer ${String(token)}` };
  assert.equal((await platform.request('/v1/logout', { method: 'POST', headers })).status, 204);
}

/** A message that cannot be processed. */
async function setAside(platform: Platform, workspace: string, atEnd: AtEnd): Promise<void> {
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> =>
    (await changed(platform, method, path, body as object)) as T;
  const enrolled = await enrolledFleetlet({ call }, ['sender'], { workspace });
  const fleetlet = new ScriptedFleetlet(grpcOf(enrolled));
  atEnd(() => fleetlet.stop());
  const request = fleetlet.register('sender');
  const target = await eventually('the target to be accepted', async () => {
    const answer = fleetlet.answerTo(request);
    return answer?.kind === 'targetAccepted' && answer.target;
  });
  fleetlet.status.trySend({ payload: Uint8Array.of(255), target });
  await eventually('the message to be set aside', async () => {
    const answer = await platform.request('/v1/dead-letters');
    return ((await answer.json()) as { items: unknown[] }).items.length > 0;
  });
}

/** A deployment that waits for the health of another one, and a group. */
async function deploy(platform: Platform): Promise<void> {
  const client = new DeploymentClient(platform, WORKSPACE);
  await client.settle([{ name: 's-1', labels: { is: 's-1' } }]);
  const placement = [{ type: 'static', targets: ['s-1'] }];
  await client.create([{ name: 'base', manifest: saying('base'), placement }]);
  await client.succeeded('base', 1);
  const stage = {
    name: 'all',
    selector: { matchLabels: { is: 's-1' } },
    beforeTasks: [{ type: 'deploymentHealth', deployment: 'base', stableDuration: '1s' }],
    afterTasks: [{ type: 'wait', duration: '1s' }],
  };
  const children = [{ name: 'child', manifest: saying('child'), placement }];
  await client.create([
    { name: 'watcher', manifest: saying('watcher'), placement, rollout: { type: 'staged', stages: [stage] } },
    { name: 'group', manifest: { type: 'deploymentGroup', deployments: children } },
  ]);
  for (const name of ['watcher', 'group', 'group-child']) await client.succeeded(name, 1);
  await made(platform, `/v1/workspaces/${WORKSPACE}/bootstrap-tokens`, { name: 'another' });
}

async function changed(
  platform: Platform,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const answer = await platform.request(path, { method, ...(body && { body }) });
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}
