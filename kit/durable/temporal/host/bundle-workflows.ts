import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BundleOptions, bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import type { SandboxOptions } from '../sandbox/sandbox-options.ts';
import { TemporalError } from '../temporal-error.ts';

const PACKAGE = join(import.meta.dirname, '..');
const SANDBOX = join(PACKAGE, 'sandbox');
const STD = join(PACKAGE, '..', '..', 'std');

/** Bundles the workflows and their imports into one file for the sandbox, which has no clock, randomness or I/O. */
export async function bundleWorkflows(modules: readonly URL[], options: SandboxOptions): Promise<{ code: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'fleetshift-workflows-'));
  const said: string[] = [];
  try {
    const workflowsPath = join(folder, 'entry.js');
    await writeFile(workflowsPath, entry(modules, options));
    return await bundleWorkflowCode({
      workflowsPath,
      workflowInterceptorModules: [join(SANDBOX, 'cancel-reason.ts')],
      webpackConfigHook,
      logger: new DefaultLogger('WARN', ({ message }) => said.push(message)),
    });
  } catch (error) {
    const message = `bundle the workflows of ${modules.join(', ')}: ${(error as Error).message}\n${said.join('\n')}`;
    throw new TemporalError('WORKFLOWS_NOT_BUNDLED', message, { cause: error });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function entry(modules: readonly URL[], options: SandboxOptions): string {
  const imports = modules.map((url, index) => `import * as m${index} from ${JSON.stringify(fileURLToPath(url))};`);
  return [
    `import { runWorkflow } from ${JSON.stringify(join(SANDBOX, 'run-workflow.ts'))};`,
    ...imports,
    `export default runWorkflow([${modules.map((_, index) => `m${index}`).join(', ')}], ${JSON.stringify(options)});`,
  ].join('\n');
}

type WebpackConfig = Parameters<NonNullable<BundleOptions['webpackConfigHook']>>[0];
type WebpackPlugin = Extract<NonNullable<WebpackConfig['plugins']>[number], { apply(compiler: never): void }>;
/** An import as webpack sees it: the request, and the folder of the importing module. */
type FoundImport = { readonly context?: string; request?: string };

/**
 * Temporal refuses workflows that import a Node module, and every workflow imports kit/std because of its errors.
 * Workflows have no use for the parts of kit/std that need Node, so in kit/std only, such imports are replaced by
 * functions that throw when they are called.
 */
function webpackConfigHook(config: WebpackConfig): WebpackConfig {
  const refuse = config.externals as (found: FoundImport, done: unknown) => Promise<undefined>;
  const withoutNode: WebpackPlugin = {
    apply: (compiler) => {
      const { NormalModuleReplacementPlugin } = compiler.webpack;
      new NormalModuleReplacementPlugin(/^node:/, (found: FoundImport) => {
        if (isNodeInStd(found)) found.request = join(SANDBOX, 'no-node.ts');
      }).apply(compiler);
    },
  };
  return {
    ...config,
    // Modules are named by their paths from here, and not from the folder in which this process was started.
    context: join(PACKAGE, '..', '..', '..'),
    plugins: [...(config.plugins ?? []), withoutNode],
    externals: async (found: FoundImport) => (isNodeInStd(found) ? undefined : await refuse(found, undefined)),
    // The entry file is in a temporary folder, and imports the SDK.
    resolve: { ...config.resolve, modules: [...(config.resolve?.modules ?? []), join(PACKAGE, 'node_modules')] },
  };
}

function isNodeInStd({ context, request }: FoundImport): boolean {
  return context === STD && request?.startsWith('node:') === true;
}
