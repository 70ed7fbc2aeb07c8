import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseUuid } from '#kit/std';
import type { Report, TargetId } from '../domain/order.ts';
import { ReportLine } from './report-line.ts';

const deployment = parseUuid('00000000-0000-7000-8000-0000000000d1');
const health = (target: string, message: string): Report => {
  return { target: target as TargetId, deployment, revision: 1, kind: 'health', health: 'Degraded', message };
};

test('of each target the last word is said, after it was heard at last', async () => {
  const line = new ReportLine();
  for (const report of [health('a', 'old'), health('b', 'only'), health('a', 'new')]) line.say(report);
  const over = new AbortController();
  const heard: string[] = [];
  let isDeaf = true;
  const report = async (all: readonly Report[]): Promise<void> => {
    if (isDeaf) throw new Error('nobody listens');
    heard.push(...all.map(({ target, ...its }) => `${target} ${'message' in its ? its.message : ''}`));
    over.abort();
  };
  const onTrouble = async (): Promise<void> => {
    isDeaf = false;
  };
  await line.run({ report, inventory: async () => {} }, { signal: over.signal, onTrouble });
  assert.deepEqual(heard, ['b only', 'a new']);
});
