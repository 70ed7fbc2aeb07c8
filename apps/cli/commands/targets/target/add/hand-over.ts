import { Type } from 'typebox';
import { flattenKubeconfig } from '#contexts/proxied-clusters/adapters';
import type { KubeConfig } from '#kit/kube';
import { sleep } from '#kit/std';
import { TargetKubeconfigSchema, TargetSchema } from '#protocol/api';
import type { ApiClient } from '../../../../client/api-client.ts';
import { ClientError } from '../../../../client/client-error.ts';

export interface NewTarget {
  readonly name: string;
  readonly workspace: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface HandOver {
  readonly target: NewTarget;
  readonly config: KubeConfig;
  /** How long to wait until it is served. */
  readonly waitMs: number;
}

export type HandedOver = 'serving' | 'standingBy' | 'notYet';

const LOOK_MS = 250;
const MADE = Type.Object({ name: Type.String() });

/** Registers the target and gives the kubeconfig to the platform. Idempotent for the same kubeconfig. */
export async function handOver(api: ApiClient, wanted: HandOver, signal: AbortSignal): Promise<HandedOver> {
  const { target, config, waitMs } = wanted;
  await register(api, target, signal);
  const path = ['targets', target.name, 'kubeconfig'];
  const kubeconfig = await flattenKubeconfig(config, signal);
  await api.put(TargetKubeconfigSchema, { path, body: { kubeconfig } }, signal);
  if (waitMs === 0) return 'notYet';
  const late = AbortSignal.timeout(waitMs);
  for (;;) {
    const { state, message = '' } = await api.get(TargetKubeconfigSchema, { path }, signal);
    if (state === 'Serving') return 'serving';
    if (state === 'StandingBy') return 'standingBy';
    if (state === 'Refused') throw new ClientError('CONFLICT', `the platform does not serve it: ${message}`);
    if (late.aborted) {
      throw new ClientError(
        'SERVER_UNREACHABLE',
        `registered, but the platform cannot serve it yet: ${message || state}`,
      );
    }
    await sleep(LOOK_MS, signal);
  }
}

/** An existing target of that name is assumed to be the same, if it can be. */
async function register(api: ApiClient, target: NewTarget, signal: AbortSignal): Promise<void> {
  const { name, workspace, labels } = target;
  try {
    await api.post(MADE, { path: ['targets'], body: { name, workspace, type: 'kubernetes', labels } }, signal);
  } catch (error) {
    if (!(error instanceof ClientError) || error.code !== 'CONFLICT') throw error;
    const known = await api.get(TargetSchema, { path: ['targets', name] }, signal).catch(() => undefined);
    if (known?.type !== 'kubernetes' || known.workspace !== workspace) throw error;
    if (Object.keys(labels).length > 0) await api.patch(MADE, { path: ['targets', name], body: { labels } }, signal);
  }
}
