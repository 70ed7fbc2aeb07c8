// The arrows of ARCHITECTURE.md, as rules. Each has a planted violation in testing/gates/arrows.test.ts, which fails
// when a rule is added without one. A path is relative to the repository's root.

const TEST_FILE = String.raw`\.(?:test|soak)\.ts$`;
const TESTING_ROOM = '(?:^|/)testing/';
const DEV_ROOM = '^(?:bench|e2e|scripts|testing)/';
const STD = String.raw`^kit/std/index\.ts$`;
/** The words that several contexts share, declared once: types, closed sets and parsers. */
const PUBLISHED = String.raw`^protocol/(?:delivery|targets)/index\.ts$`;
/** `kit/storage` of `kit/storage/sqlite/connection.ts`, `scripts` of `scripts/check.ts`: the module that a file is in. */
const ITS_MODULE = '^((?:apps|contexts|kit|protocol)/[^/]+|bench|e2e|scripts|testing)/';
/** End-to-end tests and benchmarks look behind every door; that is what they are for. */
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
      comment: 'An import that nothing answers to.',
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
      comment: 'Use cases know the domain, kit/std and their own ports. Adapters implement the ports and are wired in.',
      severity: 'error',
      from: { path: '^contexts/([^/]+)/application/', pathNot: TEST_FILE },
      to: { pathNot: ['^contexts/$1/(?:domain|application)/', STD, PUBLISHED] },
    },
    {
      name: 'facade-without-adapters',
      comment: 'The facade offers what the context can do; `adapters/index.ts` is a door of its own, for wiring.',
      severity: 'error',
      from: { path: String.raw`^contexts/([^/]+)/index\.ts$` },
      to: { pathNot: ['^contexts/$1/(?:domain|application)/', STD, PUBLISHED] },
    },
    {
      name: 'context-not-to-context',
      comment: "The consumer declares a port in its own words; the app's wiring adapts the neighbour's facade to it.",
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
      name: 'context-by-its-doors',
      comment: 'From outside, a context is its facade, its `adapters/index.ts` and its testing room.',
      severity: 'error',
      from: { path: ITS_MODULE, pathNot: SEES_EVERYTHING },
      to: { path: '^contexts/', pathNot: ['^$1/', String.raw`^contexts/[^/]+/(?:adapters/)?index\.ts$`, TESTING_ROOM] },
    },
    {
      name: 'adapters-only-from-apps',
      comment: 'Only the wiring of an app chooses adapters.',
      severity: 'error',
      from: { path: ITS_MODULE, pathNot: ['^apps/', SEES_EVERYTHING] },
      to: { path: '^contexts/[^/]+/adapters/', pathNot: '^$1/' },
    },
    {
      name: 'kit-knows-no-product',
      comment: 'kit/ is technology without domain words.',
      severity: 'error',
      from: { path: '^kit/' },
      to: { path: '^(?:apps|contexts|protocol)/' },
    },
    {
      name: 'kit-by-its-doors',
      comment: 'From outside, a kit module is its `index.ts`, those of its rooms, and its testing room.',
      severity: 'error',
      from: { path: ITS_MODULE, pathNot: SEES_EVERYTHING },
      to: { path: '^kit/', pathNot: ['^$1/', String.raw`^kit/.+/index\.ts$`, TESTING_ROOM] },
    },
    {
      name: 'std-stands-alone',
      comment: 'Everything may import kit/std, so kit/std imports no other part of the house.',
      severity: 'error',
      from: { path: '^kit/std/', pathNot: TEST_FILE },
      to: { path: '^(?:apps|contexts|kit|protocol|testing)/', pathNot: '^kit/std/' },
    },
    {
      name: 'protocol-has-no-behaviour',
      comment:
        'protocol/ says what crosses a process: schemas of typebox, messages generated from protos, and kit/std.',
      severity: 'error',
      from: { path: '^protocol/', pathNot: TEST_FILE },
      to: { pathNot: ['^protocol/', STD, '(?:^|/)node_modules/(?:typebox|@bufbuild/protobuf)/'] },
    },
    {
      name: 'published-language-imports-std',
      comment: 'Domains import it, so it is as pure as they are.',
      severity: 'error',
      from: { path: '^protocol/(?:delivery|targets)/', pathNot: TEST_FILE },
      to: { pathNot: ['^protocol/(?:delivery|targets)/', STD] },
    },
    {
      name: 'fleetlet-has-no-kubernetes',
      comment: 'The edge broker carries channels and never learns what runs on them, not even through others.',
      severity: 'error',
      from: { path: '^apps/fleetlet/', pathNot: TEST_FILE },
      to: { path: '@kubernetes/|^kit/kube/', reachable: true },
    },
    {
      name: 'reconcile-knows-no-kubernetes',
      comment: 'Queues, workers and supervision are of use to any loop. What they reconcile is the business of others.',
      severity: 'error',
      from: { path: '^kit/reconcile/' },
      to: { path: '@kubernetes/|^kit/kube/' },
    },
    {
      name: 'kube-objects-are-pure',
      comment:
        'Rules about objects are functions of objects; they know the shapes. The recorder writes what they decided.',
      severity: 'error',
      from: { path: '^kit/kube/objects/', pathNot: [TEST_FILE, String.raw`/event-recorder\.ts$`] },
      to: { pathNot: ['^kit/kube/objects/', String.raw`^kit/kube/client/kube-(?:client|object)\.ts$`, STD] },
    },
    {
      name: 'client-node-only-in-bench',
      comment: 'We have a client of our own; the other one is there to be measured against.',
      severity: 'error',
      from: { pathNot: '^bench/' },
      to: { path: '(?:^|/)node_modules/@kubernetes/client-node/' },
    },
    {
      name: 'drivers-only-in-storage',
      comment:
        'One door to a database: kit/storage. Root testing/ makes databases; benchmarks measure beside the driver.',
      severity: 'error',
      from: { pathNot: ['^kit/storage/', '^testing/', SEES_EVERYTHING] },
      to: { path: ['^node:sqlite$', '(?:^|/)node_modules/(?:@types/)?pg/'] },
    },
    {
      name: 'production-not-to-dev-code',
      comment: 'What is shipped imports no test, fake, script or benchmark.',
      severity: 'error',
      from: { path: '^(?:apps|contexts|kit|protocol)/', pathNot: [TEST_FILE, TESTING_ROOM] },
      to: { path: [DEV_ROOM, TESTING_ROOM, TEST_FILE] },
    },
    {
      name: 'production-not-to-dev-dependencies',
      comment: 'What is shipped imports `dependencies` only: nothing else is installed beside it.',
      severity: 'error',
      from: { path: '^(?:apps|contexts|kit|protocol)/', pathNot: [TEST_FILE, TESTING_ROOM] },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['npm'] },
    },
  ],
  options: {
    // DECISION: swc reads the sources. TypeScript 7 has no compiler API, and without a parser dependency-cruiser reports
    // "no violations (0 modules)" and exits 0; the floor on modules in arrows.test.ts is there for that.
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    // Ours; many packages keep what they offer in a folder of that name.
    exclude: { path: '^dist/' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
