import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { findFiles, ROOT } from '../../scripts/repository.ts';
import { type Arrow, appsThatImportApps, arrowsOf, crumbsOf, cyclesOf, fullFolders } from './module-graph.ts';

const IS_TEST = /\.(?:test|soak)\.ts$|(?:^|\/)testing\//;

/** Where a folder may have more files than others: entries may go and none may come. */
const FULL_FOLDERS: Readonly<Record<string, number>> = {
  'kit/http/server': 26,
  'kit/kube/client': 28,
  // Schemas of the API, one file for each resource.
  'protocol/api': Number.POSITIVE_INFINITY,
};
const MOST_FILES = 25;

/** Small files that stand alone although one neighbour alone imports them, by a reason: entries may go and none may come. */
const CRUMBS: Readonly<Record<string, readonly string[]>> = {
  'one of several that are alike, each in its file': [
    'apps/cli/kinds/indexed-kind.ts',
    'apps/cli/kinds/usage-kind.ts',
    'contexts/identity/adapters/sql/sql-revocation-store.ts',
    'contexts/orchestration/domain/manifest/inline-manifest.ts',
    'contexts/orchestration/domain/placement/all-placement.ts',
    'contexts/orchestration/domain/placement/local-placement.ts',
    'contexts/orchestration/domain/rollout/gates/wait-gate.ts',
    'contexts/orchestration/domain/rollout/strategies/immediate-rollout.ts',
    'contexts/workspaces/adapters/outbox-event-sink.ts',
    'contexts/workspaces/adapters/sql-unit-of-work.ts',
  ],
  'loaded before all else, or on demand': ['apps/cli/assert-node.ts', 'apps/cli/start-quick.ts', 'apps/cli/start.ts'],
  'its neighbour has about 300 lines, or is over them, without it': [
    'apps/platform/warn-of-clock.ts',
    'apps/platform/warn-of-moved-properties.ts',
    'contexts/channels/domain/losses.ts',
    'contexts/delivery/adapters/simulated/chance.ts',
    'kit/durable/embedded/divergence.ts',
    'kit/kube/client/request-headers.ts',
    'kit/kube/client/retry-after.ts',
    'kit/storage/outbox/describe-error.ts',
  ],
  'a concept with a test of its own': [
    'contexts/workspaces/domain/kebab-case.ts',
    'kit/kube/client/deleted-object.ts',
    'kit/kube/objects/events/recently-used.ts',
    'kit/kube/objects/events/spam-bucket.ts',
    'kit/telemetry/scrub-text.ts',
    'kit/telemetry/traceparent.ts',
  ],
  'in the package generated code takes its place': ['apps/cli/kinds/compiled-schemas.ts'],
  'the sandbox of Temporal loads it by its path': ['kit/durable/temporal/sandbox/cancel-reason.ts'],
  'a shape or an adapter apart from what uses it': [
    'apps/platform/api-proxy/caller-address.ts',
    'apps/platform/delivery/report-connections.ts',
    'contexts/orchestration/adapters/health-rule-language.ts',
    'contexts/orchestration/domain/manifest/template/template-position.ts',
    'contexts/proxied-clusters/adapters/kubeconfig-resource.ts',
    'contexts/proxied-clusters/adapters/sealed-vault.ts',
    'kit/kube/webhooks/read-body.ts',
    'kit/telemetry/pretty-line.ts',
  ],
};

describe('modules', () => {
  let sources: Map<string, string>;
  let arrows: readonly Arrow[];

  before(async () => {
    const files = (await findFiles('{apps,contexts,kit,protocol,runtime}/**/*.ts')).filter(
      (file) => !IS_TEST.test(file) && !file.includes('/gen/') && !file.includes('node_modules/'),
    );
    sources = new Map(files.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]));
    arrows = arrowsOf(sources);
  });

  it('do not need each other in a circle', () => {
    assert.deepEqual(cyclesOf(arrows), []);
  });

  it('that are processes do not import other processes', () => {
    assert.deepEqual(appsThatImportApps(arrows), []);
  });

  it('have folders that can be looked over', () => {
    assert.deepEqual(
      fullFolders(sources.keys(), (folder) => FULL_FOLDERS[folder] ?? MOST_FILES),
      [],
    );
  });

  it('have no small file that one neighbour alone imports, but for a reason', () => {
    assert.deepEqual(crumbsOf(sources, arrows).toSorted(), Object.values(CRUMBS).flat().toSorted());
  });

  it('would be found in a circle', () => {
    const planted = new Map([
      ['kit/a/index.ts', "import type { B } from '#kit/b';"],
      ['kit/b/index.ts', "export { c } from '../c/index.ts';"],
      ['kit/c/index.ts', "const a = await import('#kit/a');"],
      ['kit/d/index.ts', "import '#kit/a';"],
    ]);
    assert.deepEqual(cyclesOf(arrowsOf(planted)), [['kit/a', 'kit/b', 'kit/c']]);
  });

  it('that are processes would be found to import others, but for the commands that start them', () => {
    const planted = new Map([
      ['apps/cli/commands/serve.ts', "await import('../../platform/command.ts');"],
      ['apps/demo/run.ts', "import './other.ts';"],
      ['apps/demo/other.ts', ''],
      ['apps/platform/command.ts', "import '#contexts/targets';"],
      ['apps/platform/wiring.ts', ''],
      ['contexts/targets/index.ts', ''],
    ]);
    assert.deepEqual(appsThatImportApps(arrowsOf(planted)), []);
    planted.set('apps/cli/main.ts', "import { run } from '../platform/command.ts';");
    planted.set('apps/demo/run.ts', "import { wire } from '../platform/wiring.ts';");
    assert.deepEqual(appsThatImportApps(arrowsOf(planted)).toSorted(), [
      'apps/cli apps/platform',
      'apps/demo apps/platform',
    ]);
  });

  it('would be found with a folder that is too full', () => {
    const files = Array.from({ length: 4 }, (_, index) => `kit/a/${index}.ts`);
    const mostOf = (folder: string): number => (folder === 'kit/a' ? 3 : 1);
    assert.deepEqual(fullFolders([...files, 'kit/b/0.ts', 'kit/a/c/0.ts'], mostOf), ['kit/a: 4']);
    assert.deepEqual(fullFolders(files.slice(1), mostOf), []);
  });

  it('would be found with a small file that one neighbour alone imports', () => {
    const long = 'x\n'.repeat(30);
    const planted = new Map([
      ['kit/a/index.ts', "export { offered } from './offered.ts';"],
      ['kit/a/offered.ts', "import { crumb } from './crumb.ts';\nimport { long } from './long.ts';"],
      ['kit/a/crumb.ts', "import { shared } from './shared.ts';\nimport { far } from './b/far.ts';"],
      ['kit/a/other.ts', "import { shared } from './shared.ts';"],
      ['kit/a/shared.ts', ''],
      ['kit/a/long.ts', long],
      ['kit/a/b/far.ts', ''],
    ]);
    assert.deepEqual(crumbsOf(planted, arrowsOf(planted)), ['kit/a/crumb.ts']);
  });
});
