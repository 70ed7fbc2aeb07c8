import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import { PATIENCE_MS } from '../../../testing/patience.ts';
import { installSdk } from '../../../testing/temporal/install-sdk.ts';
import { openTemporalEngine } from './index.ts';

const KIT = join(import.meta.dirname, '..', '..');
const options = {
  address: '127.0.0.1:1',
  namespace: 'default',
  taskQueue: 'tests',
  registry: { workflows: [], activities: [] },
  workflowModules: [],
};

describe('openTemporalEngine', () => {
  it('says which command installs the SDK, where it is not installed', async () => {
    const root = await mkdtemp(join(tmpdir(), 'fleetshift-main-install-'));
    try {
      const withoutPackages = (path: string): boolean => basename(path) !== 'node_modules';
      await cp(join(KIT, 'durable'), join(root, 'kit', 'durable'), { recursive: true, filter: withoutPackages });
      await cp(join(KIT, 'std'), join(root, 'kit', 'std'), { recursive: true });
      await writeFile(
        join(root, 'package.json'),
        JSON.stringify({ type: 'module', imports: { '#kit/*': './kit/*/index.ts' } }),
      );
      const script = `
        import { openTemporalEngine } from '#kit/durable/temporal';
        await openTemporalEngine(${JSON.stringify(options)}, AbortSignal.timeout(1_000)).catch((error) => {
          console.log(JSON.stringify({ code: error.code, message: error.message }));
        });`;
      await writeFile(join(root, 'main.ts'), script);
      const { stdout, stderr } = spawnSync(process.execPath, [join(root, 'main.ts')], { encoding: 'utf8' });
      const { code, message }: { code: string; message: string } = JSON.parse(stdout || JSON.stringify({ stderr }));
      assert.equal(code, 'TEMPORAL_NOT_INSTALLED');
      assert.match(message, /Install it with: npm ci --prefix .*kit\/durable\/temporal$/);
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  });

  it('says that Temporal cannot be reached', async () => {
    await installSdk();
    await assert.rejects(openTemporalEngine(options, AbortSignal.timeout(PATIENCE_MS)), {
      code: 'TEMPORAL_UNREACHABLE',
    });
  });

  it('stops connecting when the caller does', async () => {
    await installSdk();
    // Accepts the connection, and never answers.
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = silent.address();
    assert.ok(typeof address === 'object' && address !== null);
    const caller = new AbortController();
    const opening = openTemporalEngine({ ...options, address: `127.0.0.1:${address.port}` }, caller.signal);
    const [socket] = await once(silent, 'connection');
    caller.abort(new Error('the caller left'));
    await assert.rejects(opening, { message: 'the caller left' });
    socket.destroy();
    silent.close();
  });
});
