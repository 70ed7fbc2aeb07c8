import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { blocksOf, checkedPages, spansOf, textOf } from '#testing/documents';
import packageJson from '../../package.json' with { type: 'json' };
import { findFiles, ROOT } from '../../scripts/repository.ts';

const README_LINES = 80;
const MAP_WORDS = 3_000;
/** `.ci/run` runs both. */
const COMMANDS = 'npm ci && npm start\nnpm ci && npm test\n';
const FILE = /\.(?:cjs|json|jsonc|md|proto|sh|sql|ts|ya?ml)$/;
/** Folders inside contexts, which a page may name without the context. */
const ROOM = /^(?:adapters|application|domain|testing)\//;

/** Tokens with a slash or an extension that are not files of this repository. */
const NOT_PATHS: readonly (readonly [pattern: RegExp, why: string])[] = [
  [/^\/|^[a-z]+:\/\//, 'a route or an address; apps/platform/documents.test.ts looks at routes'],
  [/^(?:query|path|header)\//, 'where a fault is, as a problem document says it'],
  [/^application\/(?:problem\+json)$/, 'a media type'],
  [/^@?[a-z0-9]+\/client-node$/, 'a package'],
  [/^~\/\.config\/fleetshift\//, 'the configuration of the CLI in the home of its user'],
  [/^\.fleetshift(?:\/|$)/, 'the data folder of npm start'],
  [/^(?:[a-z]+\.)*cluster\.x-k8s\.io\//, 'a label or annotation of Cluster API'],
  [/^metadata\.labels\[/, 'a field of a Kubernetes object'],
  [/^sa:/, 'how a service account is written'],
  [/^<namespace>\/<kind>\//, 'where an agent writes a file'],
];

describe('README, ARCHITECTURE, the map and the guides', () => {
  let pages: string[];
  let paths: ReadonlySet<string>;
  let sources: string;

  before(async () => {
    pages = await checkedPages();
    paths = await pathsOfTree();
    const product = [...paths].filter((path) => /^(?:apps|contexts|kit|protocol|runtime)\/.*\.ts$/.test(path));
    sources = product
      .filter((path) => !path.endsWith('.test.ts'))
      .map(read)
      .join('\n');
  });

  /** Of `file#function` the file; testing/gates/architecture.test.ts looks for the function. */
  const fileOf = (token: string): string => token.replace(/\.ts##?\w+$/, '.ts');
  const isLost = (token: string): boolean => looksLikePath(token) && !isThere(fileOf(token), { paths, sources });

  it('name files and folders that are there', () => {
    const named = pages.flatMap((page) => spansOf(page)).filter(({ text }) => looksLikePath(text));
    assert.ok(named.length > 100, 'the paths are found');
    assert.deepEqual(
      named.filter(({ text }) => isLost(text)),
      [],
    );
  });

  for (const [token, want] of Object.entries({
    'kit/std/errors.ts': false,
    'kit/std/forward.ts': true,
    'kit/std/sleep.ts#sleep': false,
    'kit/std/forward.ts#forward': true,
    'kit/sdt': true,
    'contexts/*/domain/': false,
    'contexts/*/main/': true,
    'contexts/<context>/adapters/http-*.ts': false,
    '*-error.ts': false,
    '*-mistake.ts': true,
    'adapters/index.ts': false,
    'adapters/door.ts': true,
    '#kit/storage/outbox': false,
    '#kit/storage/inbox': true,
    '<data>/keys.json': false,
    '<data>/locks.json': true,
    'sa:web/ci': false,
    maxRemoval: false,
  })) {
    it(`would ${want ? 'be' : 'not be'} called wrong for ${token}`, () => assert.equal(isLost(token), want));
  }

  it('lead from the guide of the API to the events and errors of every context that has some there', async () => {
    const guide = textOf('docs/guide/api.md');
    const readmes = await findFiles('contexts/*/README.md');
    const wanted = readmes.flatMap((readme) => [
      ...(textOf(readme).includes('\n## Events\n') ? [`${readme}#events`] : []),
      ...(textOf(readme).includes('\n## REST\n') ? [`${readme}#errors`] : []),
    ]);
    assert.ok(wanted.length > 10, 'the contexts are found');
    assert.deepEqual(
      wanted.filter((link) => !guide.includes(`](../../${link})`)),
      [],
    );
  });

  it('name npm scripts that are there', () => {
    const known = new Set([
      'ci',
      'install',
      'start',
      'test',
      ...Object.keys(packageJson.scripts).map((name) => `run ${name}`),
    ]);
    const code = pages.flatMap((page) => [...spansOf(page), ...blocksOf(page)]);
    const named = code.flatMap(({ page, text }) =>
      Array.from(text.matchAll(/\bnpm (run [\w:-]+|[a-z]+)/g), ([, script = '']) => ({ page, script })),
    );
    assert.ok(named.length > 10, 'the scripts are found');
    assert.deepEqual(
      named.filter(({ script }) => !known.has(script)),
      [],
    );
  });

  it('have in README and map only blocks of commands that one test runs', async () => {
    const tests = (await findFiles('**/*.test.ts')).map(read);
    const blocks = ['README.md', 'docs/map.md'].flatMap((page) => blocksOf(page)).filter(({ info }) => isShell(info));
    assert.ok(blocks.length >= 2, 'the blocks are found');
    const claims = blocks.map(({ page, info, text }) => {
      if (page === 'README.md' && text === COMMANDS) return { page, info, runs: 1 };
      const call = `commandBlock('${page}', '${info.replace(/^\w+ ?/, '')}')`;
      return { page, info, runs: tests.filter((test) => test.includes(call)).length };
    });
    assert.deepEqual(
      claims.filter(({ runs }) => runs !== 1),
      [],
    );
  });

  it('begin with the two commands, which continuous integration runs', () => {
    const [commands] = blocksOf('README.md').filter(({ info }) => isShell(info));
    assert.equal(commands?.text, COMMANDS);
    for (const command of [/\bnpm ci\b/, /\bnpm start\b/, /\bnpm test\b/]) assert.match(read('.ci/run'), command);
  });

  it('are short', () => {
    assert.ok(textOf('README.md').trimEnd().split('\n').length <= README_LINES);
    const words = textOf('docs/map.md').split(/\s+/).length;
    assert.ok(words <= MAP_WORDS, `docs/map.md has ${words} words`);
  });
});

function isShell(info: string): boolean {
  return /^(?:sh|bash|console)\b/.test(info);
}

function looksLikePath(token: string): boolean {
  if (/\s/.test(token) || NOT_PATHS.some(([pattern]) => pattern.test(token))) return false;
  return token.includes('/') || FILE.test(token);
}

interface Tree {
  readonly paths: ReadonlySet<string>;
  /** The product's source text. */
  readonly sources: string;
}

function isThere(token: string, { paths, sources }: Tree): boolean {
  if (token.startsWith('<data>/')) return sources.includes(token.slice('<data>/'.length));
  const [head = ''] = token.split('/');
  if (token.startsWith('#')) return paths.has(`${token.slice(1)}/index.ts`) || paths.has(`${token.slice(1)}.ts`);
  const wanted = patternOf(token);
  const isWhole = paths.has(head) && token.includes('/');
  if (isWhole) return [...paths].some((path) => wanted.test(path));
  const isPart = ROOM.test(token) || !token.includes('/');
  if (isPart && [...paths].some((path) => wanted.test(inContext(path, token)))) return true;
  // A label, a file that the product writes, or similar.
  return sources.includes(token) || sources.includes(`'${head}/'`) || sources.includes(`\`${head}/`);
}

/** The part of a file's path to compare with a token such as `adapters/index.ts` or `index.ts`. */
function inContext(path: string, token: string): string {
  return token.includes('/') ? path.replace(/^contexts\/[^/]+\//, '') : (path.split('/').at(-1) ?? '');
}

/** `*` and `<name>` match part of a name, braces one of several alternatives. */
function patternOf(token: string): RegExp {
  const parts = token.replace(/\/$/, '').split(/(\*|<[a-z-]+>|\{[^}]+\})/);
  const source = parts.map((part) => {
    if (part.startsWith('{'))
      return `(?:${part
        .slice(1, -1)
        .split(',')
        .map((each) => RegExp.escape(each))
        .join('|')})`;
    return part === '*' || part.startsWith('<') ? '[^/]*' : RegExp.escape(part);
  });
  return new RegExp(`^${source.join('')}$`);
}

async function pathsOfTree(): Promise<ReadonlySet<string>> {
  const dotted = readdirSync(ROOT).filter((name) => name.startsWith('.') && name !== '.git');
  const files = await findFiles('**/*', ...dotted, '.ci/*');
  return new Set(files);
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}
