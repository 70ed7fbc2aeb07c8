import { build, type Plugin } from 'esbuild';
import { Code } from 'typebox/compile';
import * as Format from 'typebox/format';
import { KINDS } from '../apps/cli/kinds/kinds.ts';
import { ROOT } from './repository.ts';

/**
 * Replaces apps/cli/kinds/compiled-schemas.ts by code that is generated from the schema of each kind. `get` checks its response
 * with it, in a tenth of the time that loading the schemas takes.
 */
export const compiledSchemas: Plugin = {
  name: 'compiled-schemas',
  setup(build) {
    const namespace = 'compiled-schemas';
    build.onResolve({ filter: /\/compiled-schemas\.ts$/ }, () => ({ path: 'all', namespace }));
    build.onLoad({ filter: /.*/, namespace }, async () => ({ contents: await compiledSchemasCode() }));
  },
};

/** Bundled apart, since the program of the quick commands keeps whole modules, and of the formats only few are used. */
export async function compiledSchemasCode(): Promise<string> {
  const names = KINDS.map(({ name }) => name);
  const contents = `${names.map((name) => `import { Check as ${name} } from 'kind:${name}';`).join('\n')}
    export const COMPILED_SCHEMAS = { ${names.join(', ')} };`;
  const stdin = { contents, resolveDir: ROOT };
  const plugins = [checksOfKinds, withoutEffects];
  const { outputFiles } = await build({ stdin, bundle: true, format: 'esm', write: false, plugins });
  return outputFiles.map(({ text }) => text).join('');
}

const checksOfKinds: Plugin = {
  name: 'checks-of-kinds',
  setup(build) {
    build.onResolve({ filter: /^kind:/ }, ({ path }) => ({ path, namespace: 'kind' }));
    build.onLoad({ filter: /.*/, namespace: 'kind' }, async ({ path }) => {
      const kind = KINDS.find(({ name }) => path === `kind:${name}`);
      if (kind === undefined) throw new Error(`compile the schema of ${path}: there is no such kind`);
      return { contents: checkOf(Code(await kind.schema())), resolveDir: ROOT };
    });
  },
};

/** A module that exports `Check`. */
export function checkOf({ Code: code, External: { variables } }: ReturnType<typeof Code>): string {
  const values = variables.map((value: unknown) => {
    if (value instanceof RegExp) return String(value);
    const format = Object.entries(Format).find(([, check]) => check === value);
    if (format === undefined) throw new Error(`compile a schema: ${String(value)} is neither a pattern nor a format`);
    return `Format.${format[0]}`;
  });
  return `import * as Format from 'typebox/format';\n${code}\nSetExternal({ variables: [${values.join(', ')}] });`;
}

/** The library does not declare that its modules do nothing but export. */
const withoutEffects: Plugin = {
  name: 'without-effects',
  setup(build) {
    build.onResolve({ filter: /^[./t]/ }, async ({ path, pluginData, ...args }) => {
      if (pluginData === withoutEffects) return undefined;
      return { ...(await build.resolve(path, { ...args, pluginData: withoutEffects })), sideEffects: false };
    });
  },
};
