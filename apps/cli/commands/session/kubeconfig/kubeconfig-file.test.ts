import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { UsageError } from '../../../command.ts';
import { changeKubeconfig, usualKubeconfig } from './kubeconfig-file.ts';
import { kubectlServer } from './kubectl-server.ts';
import { NotAKubeconfig } from './merge-kubeconfig.ts';

const signal = new AbortController().signal;

async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fleetshift-kubeconfig-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe('the file that kubectl uses', () => {
  it('is the first of KUBECONFIG, or that of the user', () => {
    assert.equal(usualKubeconfig({ KUBECONFIG: ':/a/b:/c', HOME: '/u/me' }), '/a/b');
    assert.equal(usualKubeconfig({ KUBECONFIG: '', HOME: '/u/me' }), '/u/me/.kube/config');
  });

  it('is made private, and keeps what rights it has', async (t) => {
    const folder = await folderFor(t);
    const file = join(folder, 'deep', 'config');
    await changeKubeconfig(file, (before) => `${before}one\n`, signal);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    await writeFile(file, 'two\n', { mode: 0o640 });
    await changeKubeconfig(file, (before) => `${before}three\n`, signal);
    assert.equal(await readFile(file, 'utf8'), 'two\nthree\n');
    assert.deepEqual(await readdir(join(folder, 'deep')), ['config'], 'nothing else is left');
  });

  it('is left as it is when it is none', async (t) => {
    const file = join(await folderFor(t), 'config');
    await writeFile(file, 'mine');
    const change = (): never => {
      throw new NotAKubeconfig('it is a letter');
    };
    await assert.rejects(changeKubeconfig(file, change, signal), UsageError);
    assert.equal(await readFile(file, 'utf8'), 'mine');
  });

  it('is waited for while kubectl writes it', async (t) => {
    const file = join(await folderFor(t), 'config');
    await writeFile(`${file}.lock`, '');
    let isFree = false;
    const changing = changeKubeconfig(
      file,
      () => {
        assert.ok(isFree);
        return 'one';
      },
      signal,
    );
    isFree = true;
    await rm(`${file}.lock`);
    await changing;
  });
});

describe('where kubectl finds the platform', () => {
  const plain = { server: new URL('http://127.0.0.1:1'), authority: 'PEM', data: '/nowhere' };

  it('is where the CLI does, over TLS, or what was said', async () => {
    const server = new URL('https://fleet.example.com');
    const own = { server, authority: 'PEM', data: '/nowhere', said: undefined };
    assert.deepEqual(await kubectlServer(own, signal), { server, authority: 'PEM' });
    const said = new URL('https://other.example.com');
    assert.deepEqual(await kubectlServer({ ...plain, said }, signal), { server: said, authority: 'PEM' });
  });

  it('is the TLS address of the platform whose data folder is here, whatever its port', async (t) => {
    const listener = createServer((_, response) => response.end());
    t.after(() => listener.close());
    await once(listener.listen(0, '127.0.0.1'), 'listening');
    const { port } = listener.address() as AddressInfo;
    const data = await folderFor(t);
    // Plain HTTP stands for TLS here: whether it is asked is what counts.
    const urls = ['http://127.0.0.1:1', `https://127.0.0.1:${port}`, `https://localhost:${port}`];
    await writeFile(join(data, 'endpoints.json'), JSON.stringify({ urls }));
    const asked = once(listener, 'connection');
    await assert.rejects(kubectlServer({ ...plain, data, said: undefined }, signal), UsageError);
    await asked;
  });

  it('is asked for where nothing else is known', async () => {
    // A server on the default port of this machine must not be trusted with this authority.
    await assert.rejects(kubectlServer({ ...plain, said: undefined }, signal), UsageError);
  });
});
