// The arrows of ARCHITECTURE.md, as rules. Each has a planted violation in testing/gates/arrows.test.ts, which fails
// when a rule is added without one. A path is relative to the repository's root.

const TEST_FILE = String.raw`\.(?:test|soak)\.ts$`;
const TESTING_ROOM = '(?:^|/)testing/';
const SHIPPED = '^(?:apps|contexts|kit|protocol|runtime)/';
const DEV_ROOM = '^(?:bench|e2e|scripts|testing)/';
const STD = String.raw`^kit/std/index\.ts$`;
/** Queue, workers and resync of reconcile loops, without technology of their own. */
const RECONCILE = String.raw`^kit/reconcile/index\.ts$`;
/** Terms that several contexts share, declared once: types, closed sets and parsers. */
const PUBLISHED = String.raw`^protocol/(?:delivery|targets)/index\.ts$`;
/** `kit/storage` of `kit/storage/sqlite/connection.ts`, `scripts` of `scripts/check.ts`: the module of a file. */
const ITS_MODULE = '^((?:apps|contexts|kit|protocol|runtime)/[^/]+|bench|e2e|scripts|testing)/';
/** End-to-end tests and benchmarks may import internals of any module. */
const SEES_EVERYTHING = '^(?:bench|e2e)/';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      comment: 'Two modules that need each other are one module, or hide a third. Types count too.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'not-to-unresolvable',
      comment: 'An import that cannot be resolved.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'domain-imports-itself-and-std',
      comment: 'The domain is pure: no npm package, no node: module, not even a type from application or adapters.',
      severity: 'error',
      from: { path: '^contexts/([^/]+)/domain/', pathNot: TEST_FILE },
      to: { pathNot: ['^contexts/$1/domain/', STD, PUBLISHED] },
    },
    {
      name: 'application-imports-inward',
      comment:
        'Use cases know the domain, kit/std, kit/reconcile and their own ports. Adapters implement the ports and are wired in.',
      severity: 'error',
      from: { path: '^contexts/([^/]+)/application/', pathNot: TEST_FILE },
      to: { pathNot: ['^contexts/$1/(?:domain|application)/', STD, RECONCILE, PUBLISHED] },
    },
    {
      name: 'facade-without-adapters',
      comment:
        "The facade exports the context's operations; `adapters/index.ts` is a separate entry point, for wiring.",
      severity: 'error',
      from: { path: String.raw`^contexts/([^/]+)/index\.ts$` },
      to: { pathNot: ['^contexts/$1/(?:domain|application)/', STD, PUBLISHED] },
    },
    {
      name: 'context-not-to-context',
      comment: "The consumer declares a port in its own terms; the app's wiring adapts the neighbour's facade to it.",
      severity: 'error',
      from: { path: '^contexts/([^/]+)/' },
      to: { path: '^contexts/', pathNot: '^contexts/$1/' },
    },
    {
      name: 'context-not-to-app',
      comment: 'Arrows point inward: apps know contexts.',
      severity: 'error',
      from: { path: '^contexts/' },
      to: { path: '^apps/' },
    },
    {
      name: 'app-not-to-app',
      comment: 'A process knows no other process. What several of them share is in runtime/.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/', pathNot: ['^apps/cli/commands/', TEST_FILE, TESTING_ROOM] },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'commands-start-processes',
      comment: 'The CLI starts every process: it knows their settings, and loads `run` on demand.',
      severity: 'error',
      from: { path: '^apps/cli/commands/', pathNot: [TEST_FILE, TESTING_ROOM] },
      to: { path: '^apps/', pathNot: ['^apps/cli/', String.raw`^apps/[^/]+/command\.ts$`] },
    },
    {
      name: 'runtime-not-to-app',
      comment: 'runtime/ has what several processes share, so it knows none of them.',
      severity: 'error',
      from: { path: '^runtime/', pathNot: [TEST_FILE, TESTING_ROOM] },
      to: { path: '^apps/' },
    },
    {
      name: 'runtime-only-from-apps',
      comment: 'runtime/ is the wiring of processes.',
      severity: 'error',
      from: { pathNot: ['^(?:apps|runtime)/', SEES_EVERYTHING] },
      to: { path: '^runtime/' },
    },
    {
      name: 'context-by-its-doors',
      comment: "From outside, only a context's facade, `adapters/index.ts` and testing folder may be imported.",
      severity: 'error',
      from: { path: ITS_MODULE, pathNot: SEES_EVERYTHING },
      to: { path: '^contexts/', pathNot: ['^$1/', String.raw`^contexts/[^/]+/(?:adapters/)?index\.ts$`, TESTING_ROOM] },
    },
    {
      name: 'adapters-only-from-apps',
      comment: 'Only the wiring of an app chooses adapters, in its own folder or in runtime/.',
      severity: 'error',
      from: { path: ITS_MODULE, pathNot: ['^(?:apps|runtime)/', SEES_EVERYTHING] },
      to: { path: '^contexts/[^/]+/adapters/', pathNot: '^$1/' },
    },
    {
      name: 'kit-knows-no-product',
      comment: 'kit/ is technology without domain terms.',
      severity: 'error',
      from: { path: '^kit/' },
      to: { path: '^(?:apps|contexts|protocol|runtime)/' },
    },
    {
      name: 'kit-by-its-doors',
      comment:
        "From outside, only a kit module's `index.ts`, those of its subfolders, and its testing folder may be imported.",
      severity: 'error',
      from: { path: ITS_MODULE, pathNot: SEES_EVERYTHING },
      to: { path: '^kit/', pathNot: ['^$1/', String.raw`^kit/.+/index\.ts$`, TESTING_ROOM] },
    },
    {
      name: 'std-stands-alone',
      comment: 'Everything may import kit/std, so kit/std imports no other module of the repository.',
      severity: 'error',
      from: { path: '^kit/std/', pathNot: TEST_FILE },
      to: { path: '^(?:apps|contexts|kit|protocol|runtime|testing)/', pathNot: '^kit/std/' },
    },
    {
      name: 'protocol-has-no-behaviour',
      comment:
        'protocol/ describes what crosses process boundaries: typebox schemas, messages generated from protos, and kit/std.',
      severity: 'error',
      from: { path: '^protocol/', pathNot: TEST_FILE },
      to: { pathNot: ['^protocol/', STD, '(?:^|/)node_modules/(?:typebox|@bufbuild/protobuf)/'] },
    },
    {
      name: 'published-language-imports-std',
      comment: 'Domains import it, so it must be as pure as they are.',
      severity: 'error',
      from: { path: '^protocol/(?:delivery|targets)/', pathNot: TEST_FILE },
      to: { pathNot: ['^protocol/(?:delivery|targets)/', STD] },
    },
    {
      name: 'fleetlet-has-no-kubernetes',
      comment: 'The edge broker carries channels and does not know their content, not even through transitive imports.',
      severity: 'error',
      from: { path: '^(?:apps|runtime)/fleetlet/', pathNot: TEST_FILE },
      to: { path: '@kubernetes/|^kit/kube/', reachable: true },
    },
    {
      name: 'reconcile-knows-no-kubernetes',
      comment: 'Queues, workers and supervision serve any control loop, and do not know what it reconciles.',
      severity: 'error',
      from: { path: '^kit/reconcile/' },
      to: { path: '@kubernetes/|^kit/kube/' },
    },
    {
      name: 'kube-objects-are-pure',
      comment:
        'Rules about objects are pure functions of objects and their types. The recorder writes their decisions.',
      severity: 'error',
      from: { path: '^kit/kube/objects/', pathNot: [TEST_FILE, String.raw`/event-recorder\.ts$`] },
      to: { pathNot: ['^kit/kube/objects/', String.raw`^kit/kube/client/kube-(?:client|object)\.ts$`, STD] },
    },
    {
      name: 'client-node-only-in-bench',
      comment: 'The product has its own client; this one is only a reference for benchmarks.',
      severity: 'error',
      from: { pathNot: '^bench/' },
      to: { path: '(?:^|/)node_modules/@kubernetes/client-node/' },
    },
    {
      name: 'drivers-only-in-storage',
      comment:
        'Only kit/storage accesses a database. Root testing/ creates databases; benchmarks compare with the bare driver.',
      severity: 'error',
      from: { pathNot: ['^kit/storage/', '^testing/', SEES_EVERYTHING] },
      to: { path: ['^node:sqlite$', '(?:^|/)node_modules/(?:@types/)?pg/'] },
    },
    {
      name: 'production-not-to-dev-code',
      comment: 'Shipped code imports no test, fake, script or benchmark.',
      severity: 'error',
      from: { path: SHIPPED, pathNot: [TEST_FILE, TESTING_ROOM] },
      to: { path: [DEV_ROOM, TESTING_ROOM, TEST_FILE] },
    },
    {
      name: 'production-not-to-dev-dependencies',
      comment: 'Shipped code imports `dependencies` only: nothing else is installed with it.',
      severity: 'error',
      from: { path: SHIPPED, pathNot: [TEST_FILE, TESTING_ROOM] },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['npm'] },
    },
  ],
  options: {
    // DECISION: swc parses the sources. TypeScript 7 has no compiler API, and without a parser dependency-cruiser reports
    // "no violations (0 modules)" and exits 0; the minimum number of modules in arrows.test.ts guards against that.
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    // Only our own: many packages keep their published code in a folder of that name.
    exclude: { path: '^dist/' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
