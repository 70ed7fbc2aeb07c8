import { CORE, createKubeClient } from '#kit/kube';
import { backoffDelay, sleep } from '#kit/std';
import type { Logger } from '#kit/telemetry';
import type { ClusterSource } from './cluster-source.ts';
import { explained } from './cluster-state.ts';

const PACE = { baseMs: 1_000, capMs: 30_000 };
const ANSWER_MS = 15_000;
const LENGTH = 8;

/** The name a cluster gives itself: waits until it answers. `undefined` once the signal has aborted. */
export async function nameByIdentity(
  source: ClusterSource,
  log: Logger,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (let attempt = 1; !signal.aborted; attempt += 1) {
    const within = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
    try {
      const kube = createKubeClient({ config: await source.read(within) });
      try {
        const { metadata } = await kube.get({ resource: CORE.namespaces, name: 'kube-system' }, within);
        return nameOf(metadata.uid ?? '');
      } finally {
        await kube.close();
      }
    } catch (error) {
      const retryInMs = backoffDelay(PACE, attempt, Math.random);
      if (!signal.aborted)
        log.warn({ reason: explained(error), attempt, retryInMs }, 'cluster identity not read; retrying');
      await sleep(retryInMs, signal).catch(() => {});
    }
  }
  return undefined;
}

/** By the uid, not by an id that was issued: a target keeps its name. */
function nameOf(uid: string): string {
  return `k8s-${uid.slice(0, LENGTH)}`;
}
