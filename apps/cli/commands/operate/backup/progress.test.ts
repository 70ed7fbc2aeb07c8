import assert from 'node:assert/strict';
import { test } from 'node:test';
import { progressBar } from './progress.ts';

test('a terminal sees how far it is, and then a clear line', () => {
  const said: string[] = [];
  const progress = progressBar({ err: (text) => void said.push(text), errIsTerminal: true }, 'backup', 3);
  progress.step();
  progress.end();
  assert.deepEqual(said, ['\rbackup [##########....................] 33% of 3 rows', '\r\u001b[K']);
});

test('nobody else does', () => {
  const said: string[] = [];
  const progress = progressBar({ err: (text) => void said.push(text), errIsTerminal: false }, 'backup', 3);
  progress.step();
  progress.end();
  assert.deepEqual(said, []);
});
