import type { ImportGraph } from './import-graph.ts';

/** Servers and programs that the run prepares for test files. The order is the order in which programs are built. */
export const NEEDS = [
  'postgres',
  'package',
  'temporalSdk',
  'apiserver',
  'controllers',
  'nodes',
  'temporal',
  'helm',
  'capi',
] as const;
export type Need = (typeof NEEDS)[number];

/**
 * `unit` files make up `npm run quick`. `process` files start programs of ours, or tools, and no server. The others are named
 * after the dearest server that they need.
 */
export const KINDS = ['unit', 'process', 'postgres', 'clusters', 'temporal'] as const;
export type Kind = (typeof KINDS)[number];

export interface TestFile {
  readonly file: string;
  readonly kind: Kind;
  readonly needs: readonly Need[];
  /** Runs a share of a soak: longer than others of its kind. */
  readonly isLong: boolean;
  /** Runs beside no other file in one process: it is about the process itself, or changes it. */
  readonly ownProcess: boolean;
}

/** Made within seconds, beside everything else. */
export const QUICK: readonly Need[] = ['postgres', 'package', 'temporalSdk'];

const DOORS: readonly (readonly [door: string, need: Need])[] = [
  ['testing/databases.ts', 'postgres'],
  ['testing/postgres.ts', 'postgres'],
  ['testing/product.ts', 'package'],
  ['testing/clusters.ts', 'apiserver'],
  ['testing/clusters/host-calls.ts', 'apiserver'],
  ['testing/clusters/kubectl.ts', 'apiserver'],
  ['testing/temporal/test-namespace.ts', 'temporal'],
  ['testing/temporal/server-program.ts', 'temporal'],
  ['testing/helm.ts', 'helm'],
  ['testing/capi.ts', 'capi'],
];
/** A package of its own, which `npm ci` in the root does not install. */
const TEMPORAL_ENGINE = 'kit/durable/temporal/';
/** Starts compilers, linters and other tools. */
const TOOLS = 'scripts/run-command.ts';
const SIZES = ['controllers', 'nodes'] as const;
const OWN_PROCESS = /^\/\/ own process: \S/m;

/** What a test file needs, by what it loads. */
export function testFile(file: string, sources: ReadonlyMap<string, string>, graph: ImportGraph): TestFile {
  const reached = graph.reachedFrom(file);
  const found = new Set(DOORS.filter(([door]) => reached.has(door)).map(([, need]) => need));
  if (found.has('apiserver')) {
    const asking = [...reached].filter((path) => isTestCode(path) && !path.startsWith('testing/clusters'));
    for (const size of SIZES) {
      if (asking.some((path) => sources.get(path)?.includes(`'${size}'`))) found.add(size);
    }
  }
  if ([...reached].some((path) => path.startsWith(TEMPORAL_ENGINE))) found.add('temporalSdk');
  const needs = NEEDS.filter((need) => found.has(need));
  const startsPrograms = file.endsWith('.e2e.test.ts') || reached.has(TOOLS);
  const kind = kindOf(needs, startsPrograms);
  // Loading the product's modules takes longer than most of these tests: files that only talk to a database share it.
  const mayShare = kind === 'unit' || (kind === 'postgres' && !startsPrograms && !needs.includes('package'));
  return {
    file,
    kind,
    needs,
    isLong: [...reached].some((path) => path.endsWith('.soak.ts')),
    ownProcess: !mayShare || OWN_PROCESS.test(sources.get(file) ?? ''),
  };
}

function kindOf(needs: readonly Need[], startsPrograms: boolean): Kind {
  if (needs.includes('temporal')) return 'temporal';
  if (needs.some((need) => !QUICK.includes(need))) return 'clusters';
  if (needs.includes('postgres')) return 'postgres';
  return startsPrograms || needs.includes('package') ? 'process' : 'unit';
}

function isTestCode(path: string): boolean {
  return path.endsWith('.test.ts') || /(^|\/)(testing|e2e)\//.test(path);
}
