import { join } from 'node:path';
import { addCaller, made, STAFF } from '../access/callers.ts';
import { API_STREAMS, openStream } from '../revocation/open-stream.ts';
import { bearer, serveTarget, TARGET } from '../revocation/revocation-world.ts';
import { startStreamingCluster } from '../revocation/streaming-cluster.ts';
import { type Attack, heldOff, type Stage, succeeded } from './attack.ts';
import { clusterRole } from './proxied-cluster.ts';

/** The attacker keeps its open streams after losing access, and continues to read and type. */
export const revokedStreams: Attack = {
  finding: 7,
  name: 'a caller whose service account was deleted goes on with exec, logs and watches that are open',
  run: async ({ home, folder }: Stage) => {
    const cluster = await startStreamingCluster();
    const platform = await home.start();
    for (const name of [STAFF, 'shop']) await made(platform, '/v1/workspaces', { name, parent: 'root' });
    const agent = await serveTarget({ platform, cluster, folder, socket: join(home.data, 'fleetlet.sock') });
    try {
      const given = [{ role: await clusterRole(platform, 'deployer'), on: 'workspaces/shop' }] as const;
      const { token } = await addCaller(platform, { name: 'mallory', given });
      const streams = await Promise.all(
        Object.entries(API_STREAMS).map(async ([kind, { path, isUpgrade }]) => {
          const url = `${platform.url}/targets/${TARGET}/api${path}&id=${kind}`;
          const stream = await openStream(url, bearer(token), isUpgrade);
          const held = await cluster.held(kind);
          held.say('before');
          await stream.until('before');
          return { kind, stream, held };
        }),
      );
      const account = `/v1/workspaces/${STAFF}/service-accounts/mallory`;
      const deleted = await platform.request(account, { method: 'DELETE' });
      if (deleted.status !== 204) throw new Error(`delete the account: ${deleted.status} ${await deleted.text()}`);
      const still: string[] = [];
      for (const { kind, stream, held } of streams) {
        held.say('secret-after');
        const heard = await Promise.race([
          stream.until('secret-after').then(
            () => true,
            () => false,
          ),
          held.closed,
        ]);
        if (heard === true) still.push(kind);
      }
      for (const { stream } of streams) stream.close();
      if (still.length > 0) return succeeded(`after the account was deleted, these went on: ${still.join(', ')}`);
      return heldOff('every stream was closed before the deletion was answered');
    } finally {
      await agent.kill();
      await cluster.close();
    }
  },
};
