import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, it } from 'node:test';
import { parseUuid, sleep } from '#kit/std';
import type { DeliveryOrder, DeliveryReport } from '#protocol/delivery';
import type { TargetId, TargetRef } from '#protocol/targets';
import { openFolder } from '../adapters/open-folder.ts';
import { DirectoryAgent, type FolderDeps } from './directory-agent.ts';

const TARGET: TargetRef = { id: 'd1' as TargetId, name: 'host-1', type: 'directory' };
const DEPLOYMENT = parseUuid('00000000-0000-7000-8000-0000000000d1');
const OTHER = parseUuid('00000000-0000-7000-8000-0000000000d2');
const signal = new AbortController().signal;
const cleanups: (() => Promise<void>)[] = [];

function file(path: string, content: string, more: object = {}) {
  return { apiVersion: 'directory.fleetshift.io/v1', kind: 'File', path, content, ...more };
}

function order(revision: number, documents: readonly object[], deployment = DEPLOYMENT): DeliveryOrder {
  const hash = JSON.stringify(documents);
  const content = { documents: documents as [], healthRules: [], driftPolicy: 'report', secretPlaces: [] } as const;
  return { kind: 'deliver', target: TARGET, deployment, revision, hash, ...content };
}

function newFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'fleetshift-agent-'));
  cleanups.push(async () => rmSync(path, { recursive: true, force: true }));
  return path;
}

async function agentOn(path: string, change: (deps: FolderDeps) => FolderDeps = (deps) => deps) {
  const said: DeliveryReport[] = [];
  const waiting = new Set<() => void>();
  const over = new AbortController();
  const reports = {
    report: async (all: readonly DeliveryReport[]) => {
      said.push(...all);
      for (const wake of waiting) wake();
    },
    inventory: async () => {},
  };
  const opened = { target: TARGET, ...(await openFolder({ path, allowsCommands: true, now: Date.now })) };
  const deps = { reports, sleep, onTrouble: () => {}, lookEveryMs: 50 };
  const agent = new DirectoryAgent(deps);
  await agent.add(change(opened));
  const running = agent.run(over.signal);
  const stop = async (): Promise<void> => {
    over.abort();
    await running;
  };
  cleanups.push(stop);
  const until = async (isIt: (report: DeliveryReport) => boolean): Promise<DeliveryReport> => {
    for (;;) {
      const found = said.find(isIt);
      if (found !== undefined) return found;
      await new Promise<void>((wake) => waiting.add(wake));
    }
  };
  return { agent, said, until, stop };
}

describe('an agent of folders', () => {
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  it('prunes what left, and leaves what is not its own', async () => {
    const path = newFolder();
    writeFileSync(join(path, 'theirs'), 'x');
    const { agent, until } = await agentOn(path);
    await agent.dispatch(order(1, [file('a/one', '1'), file('two', '2')]), signal);
    await until(({ kind }) => kind === 'applied');
    await agent.dispatch(order(2, [file('two', '2')]), signal);
    await until(({ kind, revision }) => kind === 'applied' && revision === 2);
    assert.deepEqual(readdirSync(path).sort(), ['.fleetshift', 'theirs', 'two']);
  });

  it('does not overwrite what somebody else put there, unless it is told to adopt it', async () => {
    const path = newFolder();
    writeFileSync(join(path, 'a'), 'theirs');
    const { agent, until } = await agentOn(path);
    await agent.dispatch(order(1, [file('b', 'ours'), file('a', 'ours')]), signal);
    const failed = await until(({ kind }) => kind === 'failed');
    assert.match(failed.kind === 'failed' ? failed.message : '', /belongs to no deployment/);
    assert.deepEqual([readFileSync(join(path, 'a'), 'utf8'), existsSync(join(path, 'b'))], ['theirs', false]);
    await agent.dispatch(order(2, [file('a', 'ours', { onConflict: 'adopt' })]), signal);
    await until(({ kind }) => kind === 'applied');
    assert.equal(readFileSync(join(path, 'a'), 'utf8'), 'ours');
  });

  it('keeps two deployments from one path, and names the one that has it', async () => {
    const path = newFolder();
    const { agent, until } = await agentOn(path);
    await agent.dispatch(order(1, [file('a', '1')]), signal);
    await until(({ kind }) => kind === 'applied');
    await agent.dispatch(order(1, [file('A', '2')], OTHER), signal);
    const failed = await until(({ kind }) => kind === 'failed');
    assert.match(failed.kind === 'failed' ? failed.message : '', new RegExp(DEPLOYMENT));
  });

  it('reports drift and what is missing, and that it is over', async () => {
    const path = newFolder();
    const { agent, said, until } = await agentOn(path);
    await agent.dispatch(order(1, [file('a', '1'), file('b', '1')]), signal);
    await until(({ kind }) => kind === 'health');
    writeFileSync(join(path, 'a'), 'changed');
    const drift = await until(({ kind }) => kind === 'drift');
    assert.deepEqual(drift.kind === 'drift' && drift.objects, ['a']);
    rmSync(join(path, 'b'));
    await until((report) => report.kind === 'health' && report.health === 'Degraded');
    said.length = 0;
    await agent.dispatch(order(2, [file('a', '1'), file('b', '1')]), signal);
    await until((report) => report.kind === 'health' && report.health === 'Available');
    const over = await until((report) => report.kind === 'drift');
    assert.deepEqual(over.kind === 'drift' && over.objects, []);
  });

  it('runs a command to know of health, and says what it said', async () => {
    const path = newFolder();
    const { agent, until } = await agentOn(path);
    const check = {
      apiVersion: 'directory.fleetshift.io/v1',
      kind: 'HealthCheck',
      command: ['sh', '-c', 'cat ok || { echo not yet; exit 3; }'],
      intervalSeconds: 1,
    };
    await agent.dispatch(order(1, [file('a', '1'), check]), signal);
    const bad = await until((report) => report.kind === 'health' && report.health === 'Degraded');
    assert.match(bad.kind === 'health' ? bad.message : '', /sh exited with code 3: .*not yet/s);
    writeFileSync(join(path, 'ok'), '');
    await until((report) => report.kind === 'health' && report.health === 'Available');
  });

  it('previews line by line', async () => {
    const path = newFolder();
    const { agent, until } = await agentOn(path);
    await agent.dispatch(order(1, [file('a', 'x\none\ny\n'), file('old', '')]), signal);
    await until(({ kind }) => kind === 'applied');
    const preview = await agent.preview(order(2, [file('a', 'x\ntwo\ny\n'), file('new', 'n')]), signal);
    assert.deepEqual(preview?.changes, ['change a', '  - one', '  + two', 'create new', 'remove old']);
    const refused = await agent.preview(order(2, [file('../a', '')]), signal);
    assert.equal(refused?.kind, 'wouldReject');
  });

  it('prints nothing of a file that is secret, was secret, was there before, or was changed since', async () => {
    const path = newFolder();
    const { agent, until } = await agentOn(path);
    writeFileSync(join(path, 'foreign'), 'hunter2 of the host\n');
    const documents = [file('is', 'a'), file('was', 'hunter2\n'), file('changed', 'c'), file('open', 'one\n')];
    await agent.dispatch({ ...order(1, documents), secretPlaces: ['/1/content'] } as DeliveryOrder, signal);
    await until(({ kind }) => kind === 'applied');
    writeFileSync(join(path, 'changed'), 'hunter2 by hand\n');
    const next = [
      file('is', 'hunter2'),
      file('was', 'open now'),
      file('changed', 'd'),
      file('foreign', 'mine', { onConflict: 'adopt' }),
      file('open', 'two\n'),
    ];
    const preview = await agent.preview({ ...order(2, next), secretPlaces: ['/0/content'] } as DeliveryOrder, signal);
    assert.deepEqual(preview?.changes, [
      'change is (hidden)',
      'change was (hidden)',
      'change changed (hidden)',
      'change foreign (hidden)',
      'change open',
      '  - one',
      '  + two',
    ]);
  });

  it('keeps Secrets for the owner alone: files, also those of another mode, and folders that it makes', async () => {
    const path = newFolder();
    const { agent, until } = await agentOn(path);
    const secret = (namespace: string) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'login', namespace },
    });
    const modeOf = (place: string) => (statSync(join(path, place)).mode & 0o777).toString(8);
    mkdirSync(join(path, 'theirs/secret'), { recursive: true });
    chmodSync(join(path, 'theirs/secret'), 0o755);
    await agent.dispatch(order(1, [secret('ours'), secret('theirs')]), signal);
    await until(({ kind }) => kind === 'applied');
    const places = ['ours/secret', 'ours/secret/login.yaml', 'theirs/secret', 'theirs/secret/login.yaml'];
    assert.deepEqual(places.map(modeOf), ['700', '600', '755', '600']);
    chmodSync(join(path, 'ours/secret/login.yaml'), 0o644);
    await agent.dispatch(order(2, [secret('ours')]), signal);
    await until(({ kind, revision }) => kind === 'applied' && revision === 2);
    assert.equal(modeOf('ours/secret/login.yaml'), '600');
  });

  it('goes on after a start where it was stopped, at whichever step that was', async () => {
    const documents = [file('a', 'new'), file('b/c', 'new'), file('d', 'new')];
    for (let step = 1; step <= 6; step += 1) {
      const path = newFolder();
      const first = await agentOn(path);
      await first.agent.dispatch(order(1, [file('a', 'old'), file('gone', 'old')]), signal);
      await first.until(({ kind }) => kind === 'applied');
      await first.stop();
      let left = step;
      const dies = await agentOn(path, (deps) => ({ ...deps, ...dyingAfter(deps, () => (left -= 1) < 0) }));
      assert.deepEqual(await dies.agent.dispatch(order(2, documents), signal), { kind: 'accepted' });
      await dies.until(({ kind }) => kind === 'failed');
      await dies.stop();
      const next = await agentOn(path);
      await next.agent.dispatch(order(2, documents), signal);
      await next.until(({ kind, revision }) => kind === 'applied' && revision === 2);
      assert.deepEqual(readdirSync(path).sort(), ['.fleetshift', 'a', 'b', 'd'], `step ${step}`);
      assert.equal(readFileSync(join(path, 'b/c'), 'utf8'), 'new');
      await next.agent.dispatch({ kind: 'remove', target: TARGET, deployment: DEPLOYMENT, revision: 3 }, signal);
      await next.until(({ kind }) => kind === 'removed');
      assert.deepEqual(readdirSync(path), ['.fleetshift'], `step ${step}`);
      await next.stop();
    }
  });

  it('does what it had accepted before it was stopped', async () => {
    const path = newFolder();
    const never = Promise.withResolvers<never>();
    const first = await agentOn(path, (deps) => ({
      ...deps,
      folder: {
        ...methodsOf(deps.folder),
        write: async (_path, _file, stop) => await Promise.race([never.promise, ended(stop)]),
      },
    }));
    assert.deepEqual(await first.agent.dispatch(order(1, [file('a', '1')]), signal), { kind: 'accepted' });
    await first.stop();
    const { until } = await agentOn(path);
    await until(({ kind }) => kind === 'applied');
    assert.equal(readFileSync(join(path, 'a'), 'utf8'), '1');
  });

  it('is another installation in a folder that was made anew, and says so when its state cannot be read', async () => {
    const path = newFolder();
    const first = await agentOn(path);
    const { instance } = await first.agent.inventory(TARGET, signal);
    await first.stop();
    const second = await agentOn(path);
    assert.equal((await second.agent.inventory(TARGET, signal)).instance, instance);
    await second.stop();
    rmSync(join(path, '.fleetshift'), { recursive: true });
    const third = await agentOn(path);
    assert.notEqual((await third.agent.inventory(TARGET, signal)).instance, instance);
    await third.stop();
    writeFileSync(join(path, '.fleetshift/deployments', `${DEPLOYMENT}.json`), '{');
    await assert.rejects(agentOn(path), { code: 'STATE_UNREADABLE' });
    const taken = newFolder();
    mkdirSync(join(taken, 'x'));
    writeFileSync(join(taken, 'x/y'), '');
    await assert.rejects(agentOn(join(taken, 'x/y')), { code: 'FOLDER_UNUSABLE' });
  });
});

async function ended(stop: AbortSignal): Promise<never> {
  return await new Promise((_resolve, reject) => stop.addEventListener('abort', () => reject(stop.reason as Error)));
}

function methodsOf(folder: FolderDeps['folder']): FolderDeps['folder'] {
  return {
    observe: (paths, stop) => folder.observe(paths, stop),
    read: (path, stop) => folder.read(path, stop),
    write: (path, content, stop) => folder.write(path, content, stop),
    remove: (path, stop) => folder.remove(path, stop),
    watch: (changed) => folder.watch(changed),
  };
}

/** Every write, of files and records, throws once the agent is dead. */
function dyingAfter({ folder, records }: FolderDeps, isDead: () => boolean): Pick<FolderDeps, 'folder' | 'records'> {
  const orDie = async (write: () => Promise<void>): Promise<void> => {
    if (isDead()) throw new Error('the process is dead');
    await write();
  };
  return {
    folder: {
      ...methodsOf(folder),
      write: async (path, content, stop) => await orDie(async () => await folder.write(path, content, stop)),
      remove: async (path, stop) => await orDie(async () => await folder.remove(path, stop)),
    },
    records: {
      instance: records.instance,
      all: () => records.all(),
      find: (deployment) => records.find(deployment),
      save: async (record, stop) => await orDie(async () => await records.save(record, stop)),
    },
  };
}
