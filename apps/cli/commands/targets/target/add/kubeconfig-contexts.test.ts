import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { UsageError } from '../../../../command.ts';
import { kubeconfigContexts } from './kubeconfig-contexts.ts';
import { targetNameOf } from './target-name-of.ts';

async function folderWith(t: TestContext, files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fs-contexts-'));
  t.after(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, '.kube'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

const contexts = (...names: string[]): string => JSON.stringify({ contexts: names.map((name) => ({ name })) });

suite('the contexts of a kubeconfig', () => {
  test('are those of the file that is named', async (t) => {
    const folder = await folderWith(t, { a: 'current-context: y\ncontexts: [{name: x}, {name: y}]\n' });
    assert.deepEqual(kubeconfigContexts(join(folder, 'a'), {}), { names: ['x', 'y'], current: 'y' });
  });

  test('are those of all files of the environment, each once', async (t) => {
    const folder = await folderWith(t, {
      a: contexts('x', 'y'),
      b: `${contexts('y', 'z').slice(0, -1)},"current-context":"z"}`,
    });
    const files = ['a', 'missing', 'b'].map((name) => join(folder, name));
    assert.deepEqual(kubeconfigContexts(undefined, { KUBECONFIG: files.join(delimiter) }), {
      names: ['x', 'y', 'z'],
      current: 'z',
    });
  });

  test('are those of the usual file', async (t) => {
    const folder = await folderWith(t, { '.kube/config': contexts('home') });
    assert.deepEqual(kubeconfigContexts(undefined, { HOME: folder }), { names: ['home'], current: undefined });
  });

  for (const { why, text } of [
    { why: 'no YAML', text: 'token: sesame\n: [' },
    { why: 'a word', text: 'sesame' },
  ]) {
    test(`${why} is none, and is not quoted`, async (t) => {
      const folder = await folderWith(t, { a: text });
      assert.throws(
        () => kubeconfigContexts(join(folder, 'a'), {}),
        (error) => error instanceof UsageError && !error.message.includes('sesame'),
      );
    });
  }

  test('without any there is nothing to choose from', async (t) => {
    const folder = await folderWith(t, {});
    assert.throws(() => kubeconfigContexts(undefined, { HOME: folder }), UsageError);
    assert.throws(() => kubeconfigContexts(join(folder, 'a'), {}), { code: 'ENOENT' });
  });
});

for (const { context, want } of [
  { context: 'kind-demo', want: 'kind-demo' },
  { context: 'admin@Prod_EU', want: 'admin-prod-eu' },
  { context: 'arn:aws:eks:eu-central-1:123:cluster/shop', want: 'arn-aws-eks-eu-central-1-123-cluster-shop' },
  { context: `${'a'.repeat(62)}--b`, want: 'a'.repeat(62) },
  { context: '@@@', want: undefined },
]) {
  test(`a context ${context.slice(0, 40)} is the target ${want?.slice(0, 40)}`, () =>
    assert.equal(targetNameOf(context), want));
}
