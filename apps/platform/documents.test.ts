import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { PERMISSIONS } from '#contexts/access';
import { wireCode } from '#kit/http';
import { createLogger } from '#kit/telemetry';
import { blocksOf, type CodeSpan, checkedPages, spansOf, tableUnder } from '#testing/documents';
import { findFiles, ROOT } from '../../scripts/repository.ts';
import { resolvePlatformConfig } from './config.ts';
import { type Platform, wirePlatform } from './wiring.ts';

const ROUTE = /^(?:(?:GET|HEAD|POST|PUT|PATCH|DELETE) )?(\/[^\s?]*)/;
/** A custom verb of a resource, as in `:pause`. */
const VERB = /^:[a-z][A-Za-z]+$/;
const METHOD = /^[A-Z]+(?= \/)/;
const ADDRESS = /https?:\/\/(?:127\.0\.0\.1|localhost|fleet\.example\.com):870[01](\/[\w./:{}-]*)/g;
const CAMEL = /^[a-z]+(?:[A-Z][a-z0-9]*)+$/;
const PASCAL = /^(?:[A-Z][a-z0-9]+){2,}$/;
const CODE = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;
const DOTTED = /^([a-z][A-Za-z]*)\.([a-z][A-Za-z]*)$/;

/** Texts that look like a route, but are none. */
const NOT_ROUTES: Readonly<Record<string, string>> = {
  '/labels/env': 'a JSON pointer into a body',
  '/v1/login/callback': 'answers only to the state of a login',
};
/** Names that belong neither to the API nor to the source code. */
const OF_OTHERS: Readonly<Record<string, string>> = {
  apiAuthentication: 'a property of a target, which is free JSON in the description',
  caBundle: 'a field of Kubernetes',
  caFile: 'a field of --issuers-file',
  clientSecretFile: 'a field of --issuers-file',
  currentEtag: 'a detail of a problem document, which has any',
  endsWith: 'a function of CEL',
  lowerAscii: 'a function of CEL',
  startsWith: 'a function of CEL',
  upperAscii: 'a function of CEL',
  operationId: 'a field of OpenAPI',
};
/** The part before the dot, and the meaning of such names. */
const DOTTED_OTHERS: Readonly<Record<string, string>> = {
  claims: 'a claim of a token, in CEL',
  data: 'a field of an event',
  labels: 'a label, in CEL',
  spec: 'a field of a Kubernetes object',
  status: 'a field of a Kubernetes object',
  target: 'what a template may use',
  values: 'what a template may use',
};
const FILE = /\.(?:[a-z]{1,4}|test|proto)$/;

describe('what the documents say of the API', () => {
  let folder: string;
  let platform: Platform;
  let api: ApiNames;
  let spans: readonly CodeSpan[];
  let sources: string;
  let declared: ReadonlySet<string>;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fleetshift-documents-'));
    platform = await open(folder);
    sources = await productSources();
    declared = namesDeclaredIn(sources);
    api = await namesOf(addressOf(platform), sources);
    spans = (await checkedPages()).flatMap((page) => spansOf(page));
  });
  after(async () => {
    await platform.close();
    await rm(folder, { recursive: true });
  });

  it('names routes that there are', async () => {
    const blocks = (await checkedPages()).flatMap((page) => blocksOf(page));
    const addresses = [...spans, ...blocks].flatMap(({ page, text }) =>
      Array.from(text.matchAll(ADDRESS), ([, path = '']) => ({ page, text: path })),
    );
    const named = [...spans.filter(({ text }) => ROUTE.test(text) || VERB.test(text)), ...addresses];
    assert.ok(named.length > 20, 'the routes are found');
    const wrong: CodeSpan[] = [];
    for (const span of named) if (!(await isRoute(span.text))) wrong.push(span);
    assert.deepEqual(wrong, []);
  });

  it('would be found to name routes that there are not', async () => {
    for (const [route, want] of Object.entries({
      '/v1/workspaces': true,
      'POST /v1/workspaces': true,
      'PUT /v1/workspaces': false,
      '/v1/workspaces/{workspace}/deployments/{deployment}:pause': true,
      '/v1/workspaces/{workspace}/deployments/{deployment}:halt': false,
      '/v1/audit:verify': true,
      ':confirmRemoval': true,
      ':acceptRevision': true,
      ':confirmRemove': false,
      '/v1/spaces': false,
      '/healthz': true,
      '/health': false,
    })) {
      assert.equal(await isRoute(route), want, route);
    }
  });

  it('names error codes, fields and operations that there are', () => {
    const isKnown = (span: CodeSpan): boolean =>
      api.codes.has(span.text) || api.names.has(span.text) || span.text in OF_OTHERS || isDeclared(span);
    const named = spans.filter(({ text }) => CAMEL.test(text));
    assert.ok(named.length > 30, 'the names are found');
    assert.deepEqual(
      named.filter((span) => !isKnown(span)),
      [],
    );
    for (const code of ['workspaceNotEmpty', 'malformedJson']) assert.ok(api.codes.has(code), code);
  });

  it('names codes of catalogues, permissions and events that there are', () => {
    const codes = spans.filter(({ text }) => CODE.test(text) && !/^(?:FLEETSHIFT|OTEL)_/.test(text));
    assert.deepEqual(
      codes.filter((span) => !api.codes.has(wireCode(span.text)) && !isDeclared(span)),
      [],
    );
    const dotted = spans.filter(({ text }) => DOTTED.test(text) && !FILE.test(text));
    assert.ok(dotted.length > 50, 'the permissions are found');
    const isKnown = (text: string): boolean =>
      text in PERMISSIONS || (DOTTED.exec(text)?.[1] ?? '') in DOTTED_OTHERS || sources.includes(`'${text}'`);
    assert.deepEqual(
      dotted.filter(({ text }) => !isKnown(text)),
      [],
    );
  });

  it('names types of the code that there are', () => {
    const named = spans.filter(({ page, text }) => !page.startsWith('docs/guide/') && PASCAL.test(text));
    assert.ok(named.length > 2, 'the types are found');
    assert.deepEqual(
      named.filter((span) => !isDeclared(span)),
      [],
    );
  });

  it('lists what runs under the supervisor, in the order of its start', () => {
    assert.deepEqual(
      tableUnder('ARCHITECTURE.md', '## Start and stop').map((row) => row.map(namesIn)),
      platform.groups.map(({ name, runnables }) => [[name], runnables.map((runnable) => runnable.name)]),
    );
  });

  /** Pages about the code name identifiers of the code. */
  function isDeclared({ page, text }: CodeSpan): boolean {
    return !page.startsWith('docs/guide/') && declared.has(text);
  }

  /** Paths that the description does not list are requested: pages, probes, and entry points of other programs. */
  async function isRoute(text: string): Promise<boolean> {
    if (VERB.test(text)) return api.routes.some((route) => route.path.endsWith(text));
    const [, path = ''] = ROUTE.exec(text) ?? [];
    if (path in NOT_ROUTES) return true;
    const method = METHOD.exec(text)?.[0]?.toLowerCase();
    const listed = api.routes.filter(({ pattern }) => pattern.test(path));
    if (listed.length > 0) return method === undefined || listed.some((route) => route.method === method);
    if (api.routes.some((route) => route.path.startsWith(`${path}/`))) return true;
    const answer = await fetch(`${addressOf(platform)}${path.replaceAll(/[{}]/g, '')}`, { redirect: 'manual' });
    await answer.body?.cancel();
    return answer.status !== 404;
  }
});

interface ApiNames {
  readonly routes: readonly { readonly method: string; readonly path: string; readonly pattern: RegExp }[];
  /** In their wire format. */
  readonly codes: ReadonlySet<string>;
  /** Fields, parameters, values and operations. */
  readonly names: ReadonlySet<string>;
}

async function open(data: string): Promise<Platform> {
  const anywhere = ['--listen', '--tls-listen', '--fleetlet-listen'].flatMap((flag) => [flag, '127.0.0.1:0']);
  const flags = ['--data', data, ...anywhere];
  const { values: config } = resolvePlatformConfig({ args: flags, environment: {}, readText: () => '' });
  const log = createLogger({ level: 'silent', destination: { write: () => {} }, pretty: false });
  return await wirePlatform({ config, version: '0.0.0', environment: {}, log }, AbortSignal.timeout(60_000));
}

function addressOf({ http }: Platform): string {
  return `http://127.0.0.1:${http?.port}`;
}

async function namesOf(address: string, sources: string): Promise<ApiNames> {
  const answer = await fetch(`${address}/openapi.json`);
  const description = (await answer.json()) as { readonly paths: Readonly<Record<string, object>> };
  const routes = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method, path, pattern: routePattern(path) })),
  );
  return { routes, codes: wireCodesIn(sources), names: new Set(wordsIn(description)) };
}

function namesIn(cell: string): string[] {
  return spansOf('ARCHITECTURE.md', cell).map(({ text }) => text);
}

/** A name in braces matches any name, in the description and in the document. */
function routePattern(path: string): RegExp {
  const source = path
    .split(/(\{[^}]+\})/)
    .map((part) => (part.startsWith('{') ? String.raw`(?:\{\w+\}|[\w-]+)` : RegExp.escape(part)));
  return new RegExp(`^${source.join('')}$`);
}

/** Keys and short strings, at any depth. */
function wordsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...wordsIn(inner)]);
}

function wireCodesIn(sources: string): ReadonlySet<string> {
  const catalogue = /_ERRORS = \{\n((?: .*\n)*)\} as const satisfies .*Catalogue/gm;
  const entries = Array.from(sources.matchAll(catalogue), ([, body = '']) => body).join('');
  return new Set(Array.from(entries.matchAll(/^ {2}([A-Z][A-Z0-9_]*):/gm), ([, code = '']) => wireCode(code)));
}

function namesDeclaredIn(sources: string): ReadonlySet<string> {
  const declaration = /\b(?:function|const|class|interface|type|readonly) (\w+)/g;
  return new Set(Array.from(sources.matchAll(declaration), ([, name = '']) => name));
}

async function productSources(): Promise<string> {
  const paths = await findFiles('{apps,contexts,kit,protocol,runtime}/**/*.ts');
  const product = paths.filter((path) => !path.endsWith('.test.ts'));
  return product.map((path) => readFileSync(join(ROOT, path), 'utf8')).join('\n');
}
