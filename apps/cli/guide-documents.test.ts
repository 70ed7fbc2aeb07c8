import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { roleBindings } from '#contexts/api-proxy';
import { checkDocuments } from './apply/check-documents.ts';
import { parseDocuments } from './apply/read-documents.ts';

const PAGES = { 'deployments.md': 2, 'directory.md': 1, 'resource-index.md': 2 };

for (const [page, atLeast] of Object.entries(PAGES)) {
  const guide = fileURLToPath(new URL(`../../docs/guide/${page}`, import.meta.url));
  const blocks = [...readFileSync(guide, 'utf8').matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, block = '']) => block);

  test(`${page} has documents to copy`, () => assert.ok(blocks.length >= atLeast));

  for (const [index, block] of blocks.entries()) {
    test(`document ${index + 1} of ${page} can be applied`, async () => {
      const documents = await checkDocuments(parseDocuments('guide', block), { said: undefined, meant: undefined });
      assert.equal(documents.length, 1);
    });
  }
}

test('kubernetes.md binds the roles of the platform as the CLI and the manifest do', () => {
  const guide = fileURLToPath(new URL('../../docs/guide/kubernetes.md', import.meta.url));
  const commands = readFileSync(guide, 'utf8').match(/^kubectl create clusterrolebinding .*$/gm);
  const wanted = roleBindings().flatMap(({ metadata, roleRef, subjects }) =>
    subjects.map(({ name }) => `${metadata.name} --clusterrole=${roleRef.name} --group=${name}`),
  );
  assert.deepEqual(
    commands,
    wanted.map((binding) => `kubectl create clusterrolebinding ${binding}`),
  );
});
