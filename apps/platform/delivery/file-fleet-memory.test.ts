import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { aTarget, uidOf } from '../../../contexts/delivery/testing/an-order.ts';
import { fileFleetMemory } from './file-fleet-memory.ts';

const [one, two] = [aTarget(1).id, aTarget(2).id];
const [first, second] = [uidOf(0xd1), uidOf(0xd2)];

function aFile(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'fleetshift-memory-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return join(folder, 'fleet.jsonl');
}

test('remembers the latest of each deployment and target, and keeps nothing else', async (t) => {
  const file = aFile(t);
  const memory = fileFleetMemory(file);
  assert.deepEqual(await memory.recall(t.signal), []);
  const latest = [
    { target: one, deployment: second, revision: 1, hash: 'b' },
    { target: two, deployment: first, revision: 1, hash: 'a' },
    { target: one, deployment: first, revision: 2 },
  ];
  await memory.keep({ target: one, deployment: first, revision: 1, hash: 'a' }, t.signal);
  for (const each of latest) await memory.keep(each, t.signal);
  assert.deepEqual(await fileFleetMemory(file).recall(t.signal), latest);
  assert.equal(readFileSync(file, 'utf8').split('\n').length, latest.length + 1);
});

test('a target that was rebuilt has nothing of what was before', async (t) => {
  const memory = fileFleetMemory(aFile(t));
  const after = { target: one, deployment: second, revision: 1, hash: 'b' };
  await memory.keep({ target: one, deployment: first, revision: 1, hash: 'a' }, t.signal);
  await memory.keep({ target: one, rebuilds: 1 }, t.signal);
  await memory.keep({ target: one, rebuilds: 2 }, t.signal);
  await memory.keep(after, t.signal);
  assert.deepEqual(await memory.recall(t.signal), [{ target: one, rebuilds: 2 }, after]);
});

test('what many say at once is one line each, and a line that was cut off is none', async (t) => {
  const file = aFile(t);
  const memory = fileFleetMemory(file);
  const all = Array.from({ length: 100 }, (_, index) => ({ target: aTarget(index + 1).id, rebuilds: index }));
  await Promise.all(all.map((each) => memory.keep(each, t.signal)));
  appendFileSync(file, '{"target":"');
  assert.deepEqual(await memory.recall(t.signal), all);
});
