import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { build, type Plugin } from 'esbuild';
import type { AnyWorkflow, Payload, WorkflowContext } from '#kit/durable';
import type { RealmErrors } from './dry-context.ts';
import { guardRealm } from './guard-realm.ts';

export interface LoadedWorkflow {
  readonly workflow: { run(ctx: WorkflowContext, input: Payload): Promise<Payload | undefined> };
  readonly errors: RealmErrors;
  /** Forbidden things that the workflow used, even if it caught the error. */
  readonly sins: readonly string[];
}

/** The name under which a bundle finds the function that refuses access. */
const REFUSE = '__refuse';
const STD = fileURLToPath(new URL('../../../std/', import.meta.url));
const DOOR = fileURLToPath(new URL('../../index.ts', import.meta.url));

/** A separate realm with the module and its imports, and without Node. */
export async function loadWorkflow(module: URL, name: string): Promise<LoadedWorkflow> {
  const sins: string[] = [];
  const refuse = (what: string): never => {
    sins.push(what);
    throw new TypeError(`a workflow touches ${what}`);
  };
  const realm = createContext({ [REFUSE]: refuse }, { codeGeneration: { strings: false, wasm: false } });
  const code = await (bundles.get(module.href) ?? bundle(module));
  const exports = runInContext(`${code}; bundle`, realm) as {
    readonly workflows: Readonly<Record<string, AnyWorkflow>>;
    readonly DurableError: new (code: string, message: string) => Error;
  };
  const found = Object.values(exports.workflows).find((each) => each.kind === 'workflow' && each.name === name);
  if (found === undefined) throw new Error(`${module.pathname} exports no workflow ${name}`);
  guardRealm(realm, refuse);
  return {
    workflow: found as unknown as LoadedWorkflow['workflow'],
    errors: { durable: (code_, message) => new exports.DurableError(code_, message) },
    sins,
  };
}

const bundles = new Map<string, Promise<string>>();

function bundle(module: URL): Promise<string> {
  const built = build({
    stdin: {
      contents: `export * as workflows from ${JSON.stringify(fileURLToPath(module))};
        export { DurableError } from ${JSON.stringify(DOOR)};`,
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    format: 'iife',
    globalName: 'bundle',
    platform: 'neutral',
    target: 'esnext',
    write: false,
    logLevel: 'silent',
    plugins: [onlyOurs],
  }).then(({ outputFiles }) => outputFiles[0]?.text ?? '');
  bundles.set(module.href, built);
  return built;
}

/**
 * A workflow imports our own modules only. kit/std has a few functions from Node, and every workflow imports kit/std
 * because of its errors: in kit/std only, an import of Node is replaced by functions that throw when they are called.
 */
const onlyOurs: Plugin = {
  name: 'only-ours',
  setup: (build_) => {
    build_.onResolve({ filter: /^[^.#/]/ }, ({ path, importer }) =>
      path.startsWith('node:') && importer.startsWith(STD)
        ? { path, namespace: 'no-node' }
        : { errors: [{ text: `${importer} imports ${path}: a workflow touches nothing but its input and ctx` }] },
    );
    build_.onLoad({ filter: /.*/, namespace: 'no-node' }, ({ path }) => ({
      contents: `module.exports = Object.create(new Proxy({}, {
        get: (_, name) => () => ${REFUSE}(String(name) + ' of ${path}'),
      }));`,
    }));
  },
};
