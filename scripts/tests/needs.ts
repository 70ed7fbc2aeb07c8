import type { ImportGraph } from './import-graph.ts';

/** Servers and programs that the run prepares for test files. Programs are built in this order. */
export const NEEDS = [
  'postgres',
  'package',
  'earlierPackage',
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
 * `unit` files make up `npm run quick`. `process` files start our programs, or tools, but no server. The others are named
 * after the most expensive server they need.
 */
export const KINDS = ['unit', 'process', 'postgres', 'clusters', 'temporal'] as const;
export type Kind = (typeof KINDS)[number];

export interface TestFile {
  readonly file: string;
  readonly kind: Kind;
  readonly needs: readonly Need[];
  /** Runs a share of a soak: takes longer than others of its kind. */
  readonly isLong: boolean;
  /** Must not share a process with other files: it tests the process itself, or changes it. */
  readonly ownProcess: boolean;
}

/** Ready within seconds, concurrently with everything else. */
export const QUICK: readonly Need[] = ['postgres', 'package', 'earlierPackage', 'temporalSdk'];

const DOORS: readonly (readonly [door: string, need: Need])[] = [
  ['testing/databases.ts', 'postgres'],
  ['testing/postgres.ts', 'postgres'],
  ['testing/product.ts', 'package'],
  ['testing/earlier-package.ts', 'earlierPackage'],
  ['testing/clusters.ts', 'apiserver'],
  ['testing/clusters/host-calls.ts', 'apiserver'],
  ['testing/clusters/kubectl.ts', 'apiserver'],
  ['testing/temporal/test-namespace.ts', 'temporal'],
  ['testing/temporal/server-program.ts', 'temporal'],
  ['testing/helm.ts', 'helm'],
  ['testing/capi.ts', 'capi'],
];
/** A separate package, which `npm ci` in the root does not install. */
const TEMPORAL_ENGINE = 'kit/durable/temporal/';
/** Starts compilers, linters and other tools. */
const TOOLS = 'scripts/run-command.ts';
const SIZES = ['controllers', 'nodes'] as const;
const OWN_PROCESS = /^\/\/ own process: \S/m;

/** The needs of a test file, derived from the modules it loads. */
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
  // Loading the product's modules takes longer than most of these tests, so files that only use a database share a
  // process.
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
