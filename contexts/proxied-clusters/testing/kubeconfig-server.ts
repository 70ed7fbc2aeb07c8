import assert from 'node:assert/strict';
import { httpMigrations } from '#kit/http';
import { FleetError, Secret } from '#kit/std';
import type { Storage } from '#kit/storage';
import type { TestDatabase } from '#testing/databases';
import { MemoryLog, testServer } from '../../../kit/http/testing/test-server.ts';
import { openProxiedClusters, PROXIED_CLUSTER_MIGRATIONS, type ProxiedClusters } from '../adapters/index.ts';
import type { Sealer } from '../adapters/sealed-vault.ts';

/** By name. */
const TARGETS: Readonly<Record<string, { readonly uid: string; readonly type: string }>> = {
  web: { uid: 'uid-web', type: 'kubernetes' },
  edge: { uid: 'uid-edge', type: 'kubernetes' },
  folder: { uid: 'uid-folder', type: 'directory' },
};

class Missing extends FleetError<'TARGET_NOT_FOUND'> {
  get entry() {
    return { category: 'not-found', retry: 'after-change' } as const;
  }
}

/** Not a real sealer, but it opens only for its row, and the text is not readable by accident. */
const sealer: Sealer = {
  seal: async (secret, { row }) => `sealed:${Buffer.from(JSON.stringify([row, secret.reveal()])).toString('base64')}`,
  open: async (sealed, { row }) => {
    const [place, text] = JSON.parse(Buffer.from(sealed.slice('sealed:'.length), 'base64').toString()) as [
      string[],
      string,
    ];
    assert.deepEqual(place, row, 'it was sealed for another row');
    return new Secret(text);
  },
};

export interface Called {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- A test looks into answers whose shape it is about to prove.
  readonly body: any;
}

export interface KubeconfigServer {
  readonly storage: Storage;
  readonly clusters: ProxiedClusters;
  readonly log: MemoryLog;
  /** Targets that the platform was allowed to serve, and those it no longer is. */
  readonly speakers: string[];
  call(what: string, body?: object): Promise<Called>;
  close(): Promise<void>;
}

/** The real server with the real routes of this context on a real database; neighbours are faked. */
export async function startKubeconfigServer(database: TestDatabase): Promise<KubeconfigServer> {
  const storage = await database.open([httpMigrations, PROXIED_CLUSTER_MIGRATIONS]);
  const troubles = new MemoryLog();
  const speakers: string[] = [];
  const clusters = openProxiedClusters({
    storage,
    sealer,
    log: troubles,
    addresses: {
      whyRefused: async (text) => (text.reveal().includes('10.') ? '10.0.0.1 is a private address' : undefined),
    },
    targets: () => ({
      require: async (name) => {
        const known = TARGETS[name];
        if (known === undefined) throw new Missing('TARGET_NOT_FOUND', `There is no target ${name}.`);
        return { name, ...known };
      },
    }),
    speakers: () => ({
      add: async ({ name }) => void speakers.push(`+${name}`),
      remove: async ({ name }) => void speakers.push(`-${name}`),
    }),
  });
  const { server, log } = await testServer(clusters.routes);
  return {
    storage,
    clusters,
    log,
    speakers,
    call: async (what, body) => {
      const [method = 'GET', url = '/'] = what.split(' ');
      const answer = await server.inject({
        method,
        url,
        headers: { authorization: 'Bearer alice', ...(body && { 'content-type': 'application/json' }) },
        ...(body && { payload: JSON.stringify(body) }),
      });
      const read: unknown = answer.body === '' ? undefined : JSON.parse(answer.body);
      return { status: answer.statusCode, body: read };
    },
    close: async () => {
      await server.close(1_000);
      await storage.close();
    },
  };
}
