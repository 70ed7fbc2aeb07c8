import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { hasProgram, prepareProgram, TEST_PROGRAMS, type TestProgram, versionOf } from './test-programs.ts';

/** Modules of which Cluster API needs other versions. */
const OWN = /^(k8s\.io|sigs\.k8s\.io|go\.etcd\.io|github\.com\/google\/cel-go)\b/;

function versionsIn(goMod: string): Map<string, string> {
  const lines = readFileSync(join(import.meta.dirname, '..', goMod), 'utf8').matchAll(/^\t(\S+) (v\S+)/gm);
  return new Map([...lines].map(([, module = '', version = '']) => [module, version]));
}

describe('programs that tests run', () => {
  let folder: string;
  let env: NodeJS.ProcessEnv;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fleetshift-test-programs-'));
    env = { XDG_CACHE_HOME: join(folder, 'cache'), PATH: `${join(folder, 'bin')}:/usr/bin:/bin` };
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function write(path: string, text = ''): Promise<void> {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }

  /** A fake Go with modules in a folder of this test, which writes its command line into the programs it builds. */
  async function fakeGo(run: string): Promise<void> {
    const download = `if [ "$1" = mod ]; then echo '{ "Dir": "${folder}/upstream/'$4'" }'; exit; fi`;
    await write('bin/go', ['#!/bin/sh', download, 'while [ "$1" != -o ]; do shift; done', run].join('\n'));
    await chmod(join(folder, 'bin', 'go'), 0o755);
  }

  const prepare = (name: TestProgram): Promise<string | undefined> => prepareProgram(name, { log: () => {}, env });

  it('are built one at a time, whichever are asked for', async () => {
    await fakeGo(`mkdir "${folder}/building" && sleep 0.1 && rmdir "${folder}/building" && echo built > "$2"`);
    const files = await Promise.all(['etcd', 'kwok', 'helm'].map((name) => prepare(name as TestProgram)));
    assert.equal(new Set(files).size, 3);
  });

  it('have a version each, and are missing until they are built', () => {
    for (const name of TEST_PROGRAMS) {
      assert.match(versionOf(name), /^v\d+\.\d+\.\d+$/, name);
      assert.equal(hasProgram(name, env), false);
    }
  });

  it('are made of the same versions, so that what they share is compiled once', () => {
    const shared = versionsIn('testing/go/go.mod');
    for (const file of ['testing/go/cluster-api/go.mod', 'e2e/other-language/client/go.mod']) {
      const others = [...versionsIn(file)].filter(([module]) => !OWN.test(module) && shared.has(module));
      assert.ok(others.length > 0);
      for (const [module, version] of others) assert.equal(version, shared.get(module), `${module} in ${file}`);
    }
  });

  it('are built from modules without what they do not need, which stay as they are for others', async () => {
    const upstream = 'upstream/go.temporal.io';
    const archiver = 'server/common/archiver';
    const workers = 'auto-scaled-workers/wci/workflow/compute_provider';
    const signer = 'server/common/persistence/visibility/store/elasticsearch/client/aws.go';
    const kept = ['server/go.mod', `${archiver}/uri.go`, 'auto-scaled-workers/go.mod', `${workers}/registry.go`];
    const gone = [`${archiver}/s3store/util.go`, `${workers}/aws_ecs.go`, `${archiver}/uri_test.go`];
    for (const file of [...kept, ...gone, signer]) await write(`${upstream}/${file}`, 'theirs');
    await chmod(join(folder, upstream, signer), 0o444);
    await fakeGo(
      'cd "$(dirname "$2")" && (find server auto-scaled-workers -type f; cat go.mod server/*/*/*/store/*/*/aws.go) > "$2"',
    );
    const built = await readFile((await prepare('temporal-server')) ?? '', 'utf8');
    const lines = built.split('\n');
    for (const file of kept) assert.ok(lines.includes(file), `${file} is there`);
    for (const file of gone) assert.ok(!lines.includes(file), `${file} is not`);
    assert.ok(lines.includes(`${archiver}/s3store/pruned.go`));
    assert.match(built, /^replace go\.temporal\.io\/server => ".*\/server"$/m);
    assert.match(built, /NewAwsHttpClient stands in/);
    assert.equal(await readFile(join(folder, upstream, signer), 'utf8'), 'theirs');
  });
});
