import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { kubeconfigOf } from '../../../../platform/proxy-agent/testing/kubeconfig-of.ts';
import { EXIT } from '../../../command.ts';
import { runCli } from '../../../run-cli.ts';
import { target } from '../target.ts';

const NOBODY = { cluster: { server: 'https://127.0.0.1:1' }, user: { token: 'sesame' } };
const PLUGIN = {
  cluster: { server: 'https://127.0.0.1:1' },
  user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'aws', interactiveMode: 'Never' } },
};

/** There is no platform to ask. */
async function add(t: TestContext, args: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'fs-add-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'kubeconfig');
  await writeFile(file, kubeconfigOf({}, { a: NOBODY, 'b@x': NOBODY, 'b-x': NOBODY, plugin: PLUGIN }));
  const [out, err]: [string[], string[]] = [[], []];
  const io = {
    out: (text: string) => void out.push(text),
    err: (text: string) => void err.push(text),
    errIsTerminal: false,
    environment: { HOME: folder, FLEETSHIFT_CONFIG: join(folder, 'none') },
  };
  const commands = [{ name: 'target', summary: '', load: async () => target }];
  const words = ['target', 'add', '--kubeconfig', file, '--server', 'http://127.0.0.1:1', ...args];
  const code = await runCli(words, { commands, io }, t.signal);
  return { code, out: out.join(''), err: err.join('') };
}

suite('what target add says before it asks a platform', () => {
  for (const { why, args, code, err } of [
    { why: 'no such context', args: ['--context', 'c'], code: EXIT.usage, err: /no context c; it has a, b@x, b-x/ },
    {
      why: 'names that do not fit',
      args: ['--context', 'a', '--name', 'x,y'],
      code: EXIT.usage,
      err: /1 contexts and 2/,
    },
    { why: 'two of one name', args: ['--all-contexts'], code: EXIT.usage, err: /two targets would have the name b-x/ },
    { why: 'all and some', args: ['--all-contexts', '--context', 'a'], code: EXIT.usage, err: /choose one/ },
    { why: 'no label', args: ['--context', 'a', '--label', 'x'], code: EXIT.usage, err: /is not a label/ },
    { why: 'a word that belongs nowhere', args: ['a'], code: EXIT.usage, err: /--context/ },
    { why: 'a cluster that is not there', args: ['--context', 'a'], code: EXIT.unavailable, err: /127\.0\.0\.1/ },
    {
      why: 'credentials of a program',
      args: ['--context', 'plugin'],
      code: EXIT.usage,
      err: /a program \(aws\).*--service-account/,
    },
    {
      why: 'each of several that cannot be added',
      args: ['--context', 'a,plugin'],
      code: EXIT.unavailable,
      err: /context a: [^]*context plugin: /,
    },
  ]) {
    test(why, async (t) => {
      const said = await add(t, args);
      assert.deepEqual([said.code, said.out], [code, ''], said.err);
      assert.match(said.err, err);
      assert.ok(!said.err.includes('sesame'));
    });
  }
});
