import assert from 'node:assert/strict';
import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import {
  type AcknowledgementSchema,
  type DeliveryReportSchema,
  Health,
  type HoldingSchema,
  StatusMessageSchema,
} from '#protocol/proto';
import type { Platform } from '#testing/platform-process';
import { enrolledFleetlet, grpcOf } from '../../apps/platform/channels/testing/enrolled-fleetlet.ts';
import {
  type AgentAnswer,
  ScriptedFleetlet,
  type ScriptedFleetletOptions,
} from '../../apps/platform/channels/testing/scripted-fleetlet.ts';
import { eventually } from '../../kit/durable/testing/eventually.ts';
import { kubeconfigFor, startScriptedCluster } from '../scripted-cluster.ts';
import { made } from './callers.ts';
import { CANARIES, secretOf } from './canaries.ts';

/**
 * Deployments whose agents quote their content, each in its own way, with a word by which the resulting report is
 * recognized.
 */
export const QUOTED = {
  'quoted-by-refusal': 'admission webhook',
  'quoted-by-outage': 'etcdserver',
  'quoted-in-status': 'CrashLoopBackOff',
  'quoted-by-rejection': 'cannot be parsed',
  'quoted-by-fault': 'out of memory',
} as const;

export interface QuotingPlace {
  readonly workspace: string;
  /** Prefix of the names of their targets. */
  readonly prefix: string;
  /** Registers a cleanup; it runs even if the setup fails halfway. */
  readonly atEnd: (close: () => Promise<void>) => void;
}

/**
 * Adds a cluster whose API server quotes the submitted objects in its refusals and faults, and an agent that does so in
 * every report, also in one that cannot be decoded. The quoted content is known to be secret and must go no further.
 */
export async function addQuotingAgents(
  platform: Platform,
  { workspace, prefix, atEnd }: QuotingPlace,
): Promise<{ readonly targets: readonly string[] }> {
  const [onCluster, onFleetlet] = [`${prefix}-cluster`, `${prefix}-quoter`];
  const cluster = await startScriptedCluster({
    refuses: (object) => {
      const quote = JSON.stringify(object);
      if (quote.includes('quoted-by-outage')) {
        return { code: 500, reason: 'InternalError', message: `etcdserver: no space for ${quote}` };
      }
      return { code: 403, reason: 'Forbidden', message: `admission webhook "policy" denied the request: ${quote}` };
    },
  });
  atEnd(() => cluster.close());
  await made(platform, '/v1/targets', { name: onCluster, type: 'kubernetes', workspace });
  const body = { kubeconfig: kubeconfigFor(cluster.url) };
  const put = await platform.request(`/v1/targets/${onCluster}/kubeconfig`, { method: 'PUT', body });
  assert.equal(put.status, 201, await put.text());
  await connectFleetlet(platform, onFleetlet, { workspace, atEnd });
  for (const name of Object.keys(QUOTED)) {
    const isOnCluster = ['quoted-by-refusal', 'quoted-by-outage'].includes(name);
    const placement = [{ type: 'static', targets: [isOnCluster ? onCluster : onFleetlet] }];
    await made(platform, `/v1/workspaces/${workspace}/deployments`, { name, manifest: manifestOf(name), placement });
  }
  return { targets: [onCluster, onFleetlet] };
}

/** Waits until the API shows the reports of all quoting agents. */
export async function untilQuoted(platform: Platform, workspace: string): Promise<void> {
  await eventually('a message that quotes to be set aside', async () =>
    (await (await platform.request('/v1/dead-letters')).text()).includes('cannot be decoded'),
  );
  for (const [name, word] of Object.entries(QUOTED)) {
    const path = `/v1/workspaces/${workspace}/deployments/${name}/targets`;
    await eventually(`${name} to be told of`, async () => (await (await platform.request(path)).text()).includes(word));
  }
}

function manifestOf(name: string): object {
  const metadata = { name, namespace: 'default' };
  const data = { login: { $secret: CANARIES['a marked field that agents quote'] } };
  const secret = secretOf('a Secret that agents quote');
  const documents = [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data },
    { ...secret, metadata },
  ];
  return { type: 'inline', documents };
}

async function connectFleetlet(
  platform: Platform,
  name: string,
  { workspace, atEnd }: Pick<QuotingPlace, 'workspace' | 'atEnd'>,
): Promise<void> {
  const call = async <T>(_method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await platform.request(path, { method: 'POST', body: body as object });
    assert.ok(answer.ok, `${path}: ${answer.status}`);
    return (await answer.json()) as T;
  };
  const enrolled = await enrolledFleetlet({ call }, [name], { workspace });
  let target = '';
  const fleetlet = new ScriptedFleetlet(grpcOf(enrolled), {
    answer: quotingAgent((messages) => setImmediate(() => say(fleetlet, target, messages))),
  });
  atEnd(() => fleetlet.stop());
  const request = fleetlet.register(name);
  target = await eventually(`${name} to be accepted`, async () => {
    const answer = fleetlet.answerTo(request);
    return answer?.kind === 'targetAccepted' && answer.target;
  });
  fleetlet.inventory(target);
}

type Message = MessageInitShape<typeof StatusMessageSchema>['message'];

function quotingAgent(report: (messages: readonly Message[]) => void): NonNullable<ScriptedFleetletOptions['answer']> {
  const holdings = new Map<string, MessageInitShape<typeof HoldingSchema>>();
  return (asked) => {
    if (asked.case === 'previewDeliver') return previewOf(asked.value.manifests.join('\n'));
    if (asked.case !== 'deliver') return undefined;
    const { deploymentUid, revision, hash, manifests } = asked.value;
    const quote = manifests.join('\n');
    if (quote.includes('quoted-by-fault')) return { case: 'fault', value: { message: `out of memory: ${quote}` } };
    if (quote.includes('quoted-by-rejection')) {
      return acknowledgement({ case: 'rejected', value: { message: `cannot be parsed: ${quote}` } });
    }
    const message = `CrashLoopBackOff: ${quote}`;
    const [secret = ''] = /canary[\w-]+/.exec(quote) ?? [];
    holdings.set(deploymentUid, { deploymentUid, revision, hash, health: Health.DEGRADED, message });
    const said: NonNullable<MessageInitShape<typeof DeliveryReportSchema>['kind']>[] = [
      { case: 'applied', value: { hash } },
      { case: 'health', value: { health: Health.DEGRADED, message } },
      { case: 'drift', value: { objects: [quote] } },
      { case: 'failed', value: { message } },
    ];
    report([
      ...said.map((kind) => ({ case: 'report', value: { deploymentUid, revision, kind } }) as const),
      { case: 'inventory', value: { instance: 'i1', holdings: [...holdings.values()] } },
      // No deployment has such a uid, so the message is set aside.
      { case: 'report', value: { deploymentUid: secret, revision, kind: { case: 'failed', value: { message } } } },
    ]);
    return acknowledgement({ case: 'accepted', value: {} });
  };
}

function previewOf(quote: string): AgentAnswer {
  return { case: 'preview', value: { kind: { case: 'wouldApply', value: { message: quote, changes: [quote] } } } };
}

function acknowledgement(kind: MessageInitShape<typeof AcknowledgementSchema>['kind']): AgentAnswer {
  return { case: 'acknowledgement', value: { ...(kind && { kind }) } };
}

function say({ status }: ScriptedFleetlet, target: string, messages: readonly Message[]): void {
  for (const message of messages) {
    const payload = toBinary(StatusMessageSchema, create(StatusMessageSchema, { ...(message && { message }) }));
    assert.ok(status.trySend({ payload, target }), 'the channel takes nothing more');
  }
}
