import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { installSdk } from '../../../../testing/temporal/install-sdk.ts';

await installSdk();
const { bundleWorkflows } = await import('./bundle-workflows.ts');

const OPTIONS = { workerLostMs: 1_000, workflowTaskTimeoutMs: 1_000 };

describe('bundleWorkflows', () => {
  let folder: string;
  before(async () => {
    // Inside the repository, where `#kit/durable` resolves.
    folder = await mkdtemp(join(import.meta.dirname, '..', '..', 'dist-bundle-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  async function bundleOf(source: string): Promise<string> {
    const file = join(folder, 'workflow.ts');
    await writeFile(file, `import { defineWorkflow } from '#kit/durable';\n${source}`);
    return (await bundleWorkflows([pathToFileURL(file)], OPTIONS)).code;
  }

  it('takes a workflow as it is written for every engine', async () => {
    const code = await bundleOf(`export const greet = defineWorkflow('greet', async () => 'hello from the bundle');`);
    assert.match(code, /hello from the bundle/);
  });

  it('refuses one that reaches for Node', async () => {
    await assert.rejects(
      bundleOf(`import { readFileSync } from 'node:fs';
        export const peek = defineWorkflow('peek', async () => readFileSync('/etc/hostname', 'utf8'));`),
      (error: Error & { code: string }) => error.code === 'WORKFLOWS_NOT_BUNDLED' && /node:fs/.test(error.message),
    );
  });

  it('refuses one that does not compile, and says where', async () => {
    await assert.rejects(
      bundleOf(`export const broken = ;`),
      (error: Error & { code: string }) => error.code === 'WORKFLOWS_NOT_BUNDLED' && /workflow\.ts/.test(error.message),
    );
  });
});
