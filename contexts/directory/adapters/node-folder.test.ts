import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe, it } from 'node:test';
import { NodeFolder } from './node-folder.ts';
import { openBelow } from './open-below.ts';

const signal = new AbortController().signal;
const base = mkdtempSync(join(tmpdir(), 'fleetshift-folder-'));
after(() => rmSync(base, { recursive: true, force: true }));

let count = 0;
let root = '';
let outside = '';
let folder: NodeFolder;

function makeFolder(): void {
  count += 1;
  root = join(base, `${count}`, 'root');
  outside = join(base, `${count}`, 'outside');
  mkdirSync(root, { recursive: true });
  mkdirSync(outside);
  writeFileSync(join(outside, 'secret'), 'theirs');
  folder = new NodeFolder(root);
}

const bytes = (text: string) => ({ content: Buffer.from(text), mode: 0o640 });

describe('a folder', () => {
  beforeEach(makeFolder);

  it('has what was written, with the mode that was asked for, and nothing else', async () => {
    await folder.write('a/b/c.txt', bytes('one'), signal);
    await folder.write('a/b/c.txt', bytes('two'), signal);
    assert.equal(readFileSync(join(root, 'a/b/c.txt'), 'utf8'), 'two');
    assert.equal(statSync(join(root, 'a/b/c.txt')).mode & 0o777, 0o640);
    assert.deepEqual(readdirSync(join(root, 'a/b')), ['c.txt']);
    const there = (await folder.observe(['a/b/c.txt'], signal)).get('a/b/c.txt');
    assert.deepEqual(there, {
      kind: 'file',
      sha256: '3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3',
      mode: 0o640,
    });
  });

  it('sees each change, also one of the same length', async () => {
    await folder.write('a', bytes('one'), signal);
    const before = (await folder.observe(['a'], signal)).get('a');
    writeFileSync(join(root, 'a'), 'two');
    const changed = (await folder.observe(['a'], signal)).get('a');
    assert.notDeepEqual(changed, before);
    chmodSync(join(root, 'a'), 0o600);
    assert.notDeepEqual((await folder.observe(['a'], signal)).get('a'), changed);
  });

  it('loses the folders that are empty with the last file, and no others', async () => {
    await folder.write('a/b/c', bytes(''), signal);
    writeFileSync(join(root, 'a/theirs'), '');
    await folder.remove('a/b/c', signal);
    await folder.remove('a/b/c', signal);
    await folder.remove('never/was', signal);
    assert.deepEqual(readdirSync(join(root, 'a')), ['theirs']);
  });

  it('leaves nothing half behind when something cannot be written', async () => {
    mkdirSync(join(root, 'a'));
    await assert.rejects(folder.write('a', bytes('one'), signal));
    assert.deepEqual(readdirSync(root), ['a']);
  });

  it('tells what is no file from one', async () => {
    mkdirSync(join(root, 'folder'));
    symlinkSync(join(outside, 'secret'), join(root, 'link'));
    execFileSync('mkfifo', [join(root, 'pipe')]);
    const there = await folder.observe(['folder', 'link', 'pipe', 'none', 'none/below', 'link/below'], signal);
    assert.deepEqual(
      Array.from(there.values(), (each) => (each.kind === 'other' ? each.what : each.kind)),
      ['a folder', 'a link', 'not a regular file', 'absent', 'absent', 'below something that is not a folder'],
    );
    assert.equal(await folder.read('folder', signal), undefined);
  });

  it('says when something changed', async () => {
    const changed = Promise.withResolvers<void>();
    const watch = folder.watch(changed.resolve);
    const timer = setInterval(() => writeFileSync(join(root, 'a'), `${Math.random()}`), 20);
    await changed.promise.finally(() => clearInterval(timer));
    watch.close();
  });
});

describe('links', () => {
  beforeEach(makeFolder);

  it('in the place of a folder are not entered', async () => {
    symlinkSync(outside, join(root, 'way'));
    await assert.rejects(folder.write('way/secret', bytes('ours'), signal), { code: 'OUTSIDE_FOLDER' });
    await assert.rejects(folder.remove('way/secret', signal), { code: 'OUTSIDE_FOLDER' });
    await assert.rejects(folder.read('way/secret', signal), { code: 'OUTSIDE_FOLDER' });
    assert.equal(readFileSync(join(outside, 'secret'), 'utf8'), 'theirs');
  });

  it('in the place of a file are replaced and removed, not followed', async () => {
    symlinkSync(join(outside, 'secret'), join(root, 'file'));
    await assert.rejects(folder.read('file', signal), { code: 'ELOOP' });
    await folder.write('file', bytes('ours'), signal);
    assert.equal(readFileSync(join(root, 'file'), 'utf8'), 'ours');
    symlinkSync(join(outside, 'secret'), join(root, 'other'));
    await folder.remove('other', signal);
    assert.ok(!existsSync(join(root, 'other')));
    assert.equal(readFileSync(join(outside, 'secret'), 'utf8'), 'theirs');
  });

  it('that take the place of a folder after it was entered change nothing', {
    skip: process.platform !== 'linux',
  }, async () => {
    mkdirSync(join(root, 'way'));
    writeFileSync(join(root, 'way', 'secret'), 'ours');
    const entered = await openBelow(root, ['way'], { makes: false });
    renameSync(join(root, 'way'), join(root, 'moved'));
    symlinkSync(outside, join(root, 'way'));
    assert.equal(readFileSync(entered?.at('secret') ?? '', 'utf8'), 'ours');
    rmSync(entered?.at('secret') ?? '');
    await entered?.close();
    assert.deepEqual([readdirSync(join(root, 'moved')), readdirSync(outside)], [[], ['secret']]);
  });
});
