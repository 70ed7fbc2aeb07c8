/** An import that the gate must report. */
export interface ArrowPlant {
  readonly rule: string;
  readonly from: string;
  readonly imports: string;
  /** The imported module. */
  readonly to: string;
}

/** Files without imports of their own, as ends of the arrows. */
export const ROOMS: readonly string[] = [
  'apps/platform/command.ts',
  'apps/platform/wiring.ts',
  'contexts/alpha/adapters/index.ts',
  'contexts/alpha/adapters/sqlite-store.ts',
  'contexts/alpha/application/ports.ts',
  'contexts/alpha/domain/plan.ts',
  'contexts/alpha/testing/memory-store.ts',
  'contexts/beta/index.ts',
  'kit/kube/index.ts',
  'kit/kube/client/create-kube-client.ts',
  'kit/kube/client/kube-object.ts',
  'kit/reconcile/index.ts',
  'kit/std/index.ts',
  'kit/std/clock.ts',
  'kit/storage/index.ts',
  'kit/storage/port.ts',
  'kit/storage/testing/index.ts',
  'protocol/api/index.ts',
  'runtime/fleetlet/run.ts',
  'testing/fake-clock.ts',
];

export const ARROW_PLANTS: readonly ArrowPlant[] = [
  { rule: 'no-circular', from: 'kit/http/left.ts', imports: './right.ts', to: 'kit/http/right.ts' },
  { rule: 'not-to-unresolvable', from: 'kit/http/typo.ts', imports: './nowhere.ts', to: './nowhere.ts' },
  { rule: 'not-to-unresolvable', from: 'kit/http/no-room.ts', imports: '#kit/nowhere', to: '#kit/nowhere' },

  ...domainMayNot('use-npm', 'pino', 'node_modules/pino/pino.js'),
  ...domainMayNot('use-node', 'node:fs', 'fs'),
  ...domainMayNot('use-application', '../application/ports.ts', 'contexts/alpha/application/ports.ts'),
  ...domainMayNot('use-adapter', '../adapters/sqlite-store.ts', 'contexts/alpha/adapters/sqlite-store.ts'),
  ...domainMayNot('use-storage', '#kit/storage', 'kit/storage/index.ts'),
  ...domainMayNot('use-protocol', '#protocol/api', 'protocol/api/index.ts'),

  ...applicationMayNot('use-npm', 'pino', 'node_modules/pino/pino.js'),
  ...applicationMayNot('use-node', 'node:fs', 'fs'),
  ...applicationMayNot('use-adapter', '../adapters/sqlite-store.ts', 'contexts/alpha/adapters/sqlite-store.ts'),
  ...applicationMayNot('use-storage', '#kit/storage', 'kit/storage/index.ts'),

  {
    rule: 'facade-without-adapters',
    from: 'contexts/alpha/index.ts',
    imports: './adapters/sqlite-store.ts',
    to: 'contexts/alpha/adapters/sqlite-store.ts',
  },
  {
    rule: 'context-not-to-context',
    from: 'contexts/alpha/adapters/neighbour.ts',
    imports: '#contexts/beta',
    to: 'contexts/beta/index.ts',
  },
  {
    rule: 'context-not-to-context',
    from: 'contexts/alpha/adapters/neighbour.test.ts',
    imports: '#contexts/beta',
    to: 'contexts/beta/index.ts',
  },
  {
    rule: 'context-not-to-app',
    from: 'contexts/alpha/adapters/app.ts',
    imports: '../../../apps/platform/wiring.ts',
    to: 'apps/platform/wiring.ts',
  },
  {
    rule: 'app-not-to-app',
    from: 'apps/demo/compose.ts',
    imports: '../platform/command.ts',
    to: 'apps/platform/command.ts',
  },
  {
    rule: 'app-not-to-app',
    from: 'apps/cli/client/compose.ts',
    imports: '../../platform/command.ts',
    to: 'apps/platform/command.ts',
  },
  {
    rule: 'commands-start-processes',
    from: 'apps/cli/commands/deep/serve.ts',
    imports: '../../../platform/wiring.ts',
    to: 'apps/platform/wiring.ts',
  },
  {
    rule: 'runtime-not-to-app',
    from: 'runtime/fleetlet/app.ts',
    imports: '../../apps/platform/wiring.ts',
    to: 'apps/platform/wiring.ts',
  },
  {
    rule: 'runtime-only-from-apps',
    from: 'contexts/alpha/adapters/process.ts',
    imports: '#runtime/fleetlet/run',
    to: 'runtime/fleetlet/run.ts',
  },
  {
    rule: 'runtime-only-from-apps',
    from: 'kit/http/process.ts',
    imports: '#runtime/fleetlet/run',
    to: 'runtime/fleetlet/run.ts',
  },
  {
    rule: 'kit-knows-no-product',
    from: 'kit/http/process.ts',
    imports: '#runtime/fleetlet/run',
    to: 'runtime/fleetlet/run.ts',
  },
  {
    rule: 'runtime-only-from-apps',
    from: 'scripts/process.ts',
    imports: '#runtime/fleetlet/run',
    to: 'runtime/fleetlet/run.ts',
  },
  {
    rule: 'context-by-its-doors',
    from: 'apps/platform/deep.ts',
    imports: '../../contexts/alpha/domain/plan.ts',
    to: 'contexts/alpha/domain/plan.ts',
  },
  {
    rule: 'context-by-its-doors',
    from: 'apps/platform/deep-adapter.ts',
    imports: '../../contexts/alpha/adapters/sqlite-store.ts',
    to: 'contexts/alpha/adapters/sqlite-store.ts',
  },
  {
    rule: 'context-by-its-doors',
    from: 'testing/deep.ts',
    imports: '../contexts/alpha/domain/plan.ts',
    to: 'contexts/alpha/domain/plan.ts',
  },
  {
    rule: 'adapters-only-from-apps',
    from: 'scripts/adapter.ts',
    imports: '#contexts/alpha/adapters',
    to: 'contexts/alpha/adapters/index.ts',
  },
  {
    rule: 'kit-knows-no-product',
    from: 'kit/http/context.ts',
    imports: '#contexts/beta',
    to: 'contexts/beta/index.ts',
  },
  {
    rule: 'kit-knows-no-product',
    from: 'kit/http/protocol.ts',
    imports: '#protocol/api',
    to: 'protocol/api/index.ts',
  },
  {
    rule: 'kit-knows-no-product',
    from: 'kit/http/app.ts',
    imports: '../../apps/platform/wiring.ts',
    to: 'apps/platform/wiring.ts',
  },
  { rule: 'kit-by-its-doors', from: 'kit/http/deep.ts', imports: '../storage/port.ts', to: 'kit/storage/port.ts' },
  {
    rule: 'kit-by-its-doors',
    from: 'contexts/alpha/adapters/deep.ts',
    imports: '../../../kit/storage/port.ts',
    to: 'kit/storage/port.ts',
  },
  {
    rule: 'kit-by-its-doors',
    from: 'scripts/deep.ts',
    imports: '../kit/storage/port.ts',
    to: 'kit/storage/port.ts',
  },
  {
    rule: 'domain-imports-itself-and-std',
    from: 'contexts/alpha/domain/deep-std.ts',
    imports: '../../../kit/std/clock.ts',
    to: 'kit/std/clock.ts',
  },
  {
    rule: 'kit-by-its-doors',
    from: 'contexts/alpha/domain/deep-std.ts',
    imports: '../../../kit/std/clock.ts',
    to: 'kit/std/clock.ts',
  },
  { rule: 'std-stands-alone', from: 'kit/std/save.ts', imports: '#kit/storage', to: 'kit/storage/index.ts' },
  { rule: 'protocol-has-no-behaviour', from: 'protocol/api/npm.ts', imports: 'pino', to: 'node_modules/pino/pino.js' },
  { rule: 'protocol-has-no-behaviour', from: 'protocol/api/node.ts', imports: 'node:fs', to: 'fs' },
  {
    rule: 'protocol-has-no-behaviour',
    from: 'protocol/api/kit.ts',
    imports: '#kit/storage',
    to: 'kit/storage/index.ts',
  },
  {
    rule: 'protocol-has-no-behaviour',
    from: 'protocol/api/context.ts',
    imports: '#contexts/beta',
    to: 'contexts/beta/index.ts',
  },
  {
    rule: 'published-language-imports-std',
    from: 'protocol/delivery/schema.ts',
    imports: 'typebox',
    to: 'node_modules/typebox/build/index.mjs',
  },
  {
    rule: 'fleetlet-has-no-kubernetes',
    from: 'apps/fleetlet/broker.ts',
    imports: '#contexts/gamma/adapters',
    // Two steps away: the broker's own import is allowed.
    to: 'kit/kube/index.ts',
  },
  {
    rule: 'fleetlet-has-no-kubernetes',
    from: 'runtime/fleetlet/broker.ts',
    imports: '#contexts/gamma/adapters',
    to: 'kit/kube/index.ts',
  },
  {
    rule: 'reconcile-knows-no-kubernetes',
    from: 'kit/reconcile/kinds.ts',
    imports: '#kit/kube',
    to: 'kit/kube/index.ts',
  },
  ...objectsMayNot('use-client', '../client/create-kube-client.ts', 'kit/kube/client/create-kube-client.ts'),
  ...objectsMayNot('use-reconcile', '#kit/reconcile', 'kit/reconcile/index.ts'),
  ...objectsMayNot('use-node', 'node:fs', 'fs'),
  ...objectsMayNot('use-npm', 'pino', 'node_modules/pino/pino.js'),
  {
    rule: 'client-node-only-in-bench',
    from: 'testing/client-node.ts',
    imports: '@kubernetes/client-node',
    to: 'node_modules/@kubernetes/client-node/dist/index.js',
  },
  {
    rule: 'drivers-only-in-storage',
    from: 'contexts/alpha/adapters/driver.ts',
    imports: 'pg',
    to: 'node_modules/pg/esm/index.mjs',
  },
  { rule: 'drivers-only-in-storage', from: 'apps/platform/driver.ts', imports: 'node:sqlite', to: 'node:sqlite' },
  {
    rule: 'production-not-to-dev-code',
    from: 'apps/platform/fake.ts',
    imports: '#testing/fake-clock',
    to: 'testing/fake-clock.ts',
  },
  {
    rule: 'production-not-to-dev-code',
    from: 'apps/platform/fake-store.ts',
    imports: '../../contexts/alpha/testing/memory-store.ts',
    to: 'contexts/alpha/testing/memory-store.ts',
  },
  {
    rule: 'production-not-to-dev-code',
    from: 'runtime/other/fake.ts',
    imports: '#testing/fake-clock',
    to: 'testing/fake-clock.ts',
  },
  {
    rule: 'production-not-to-dev-code',
    from: 'kit/http/test.ts',
    imports: './allowed.test.ts',
    to: 'kit/http/allowed.test.ts',
  },
  {
    rule: 'production-not-to-dev-dependencies',
    from: 'kit/http/dev.ts',
    imports: 'fast-check',
    to: 'node_modules/fast-check/lib/fast-check.js',
  },
];

/** Imports in the allowed direction, next to the forbidden ones: `[from, import]`. */
export const ARROWS_ALLOWED: readonly (readonly [string, string])[] = [
  ['contexts/alpha/domain/allowed.ts', './plan.ts'],
  ['contexts/alpha/domain/allowed-std.ts', '#kit/std'],
  ['contexts/alpha/domain/plan.test.ts', 'node:test'],
  ['contexts/alpha/domain/plan.prop.test.ts', 'fast-check'],
  ['contexts/alpha/application/allowed.ts', './ports.ts'],
  ['contexts/alpha/application/allowed-domain.ts', '../domain/plan.ts'],
  ['contexts/alpha/application/allowed-reconcile.ts', '#kit/reconcile'],
  ['contexts/alpha/application/use.test.ts', '../testing/memory-store.ts'],
  ['contexts/alpha/adapters/allowed.ts', '#kit/storage'],
  ['contexts/alpha/adapters/allowed-protocol.ts', '#protocol/api'],
  ['contexts/alpha/adapters/allowed-ports.ts', '../application/ports.ts'],
  ['contexts/alpha/adapters/allowed-npm.ts', 'pino'],
  ['contexts/alpha/adapters/store.test.ts', '#kit/storage/testing'],
  ['contexts/gamma/adapters/index.ts', '#kit/kube'],
  ['apps/platform/allowed.ts', '#contexts/beta'],
  ['apps/platform/allowed-adapter.ts', '#contexts/alpha/adapters'],
  ['apps/cli/commands/deep/allowed.ts', '../../../platform/command.ts'],
  ['apps/demo/demo.test.ts', '../platform/wiring.ts'],
  ['apps/platform/allowed-runtime.ts', '#runtime/fleetlet/run'],
  ['runtime/other/allowed.ts', '#runtime/fleetlet/run'],
  ['runtime/other/allowed-adapter.ts', '#contexts/alpha/adapters'],
  ['runtime/other/wiring.test.ts', '../../apps/platform/wiring.ts'],
  ['apps/platform/wiring.test.ts', '../../contexts/alpha/testing/memory-store.ts'],
  ['kit/http/allowed.ts', '#kit/std'],
  // Closes the planted circle, which is reported once.
  ['kit/http/right.ts', './left.ts'],
  ['kit/http/allowed.test.ts', '#testing/fake-clock'],
  ['kit/kube/cache/allowed.ts', '#kit/reconcile'],
  ['kit/kube/objects/allowed.ts', '../client/kube-object.ts'],
  ['kit/kube/objects/allowed-std.ts', '#kit/std'],
  ['kit/kube/objects/allowed.test.ts', '../client/create-kube-client.ts'],
  ['kit/kube/objects/events/event-recorder.ts', '#kit/reconcile'],
  ['kit/storage/driver.ts', 'pg'],
  ['kit/storage/sqlite/driver.ts', 'node:sqlite'],
  ['protocol/api/allowed.ts', 'typebox'],
  ['protocol/api/allowed-std.ts', '#kit/std'],
  ['testing/databases.ts', 'pg'],
  ['scripts/allowed.ts', 'esbuild'],
  ['bench/raw.ts', 'pg'],
  ['bench/client-node.ts', '@kubernetes/client-node'],
  ['bench/deep.ts', '../kit/storage/port.ts'],
  ['e2e/deep.test.ts', '../contexts/alpha/domain/plan.ts'],
];

function domainMayNot(name: string, imports: string, to: string): ArrowPlant[] {
  return [{ rule: 'domain-imports-itself-and-std', from: `contexts/alpha/domain/${name}.ts`, imports, to }];
}

function applicationMayNot(name: string, imports: string, to: string): ArrowPlant[] {
  return [{ rule: 'application-imports-inward', from: `contexts/alpha/application/${name}.ts`, imports, to }];
}

function objectsMayNot(name: string, imports: string, to: string): ArrowPlant[] {
  return [{ rule: 'kube-objects-are-pure', from: `kit/kube/objects/${name}.ts`, imports, to }];
}
