import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuRatio } from './cpu-ratio.ts';

test('tells one look at everything from a look at everything for each part of it', () => {
  let sum = 0;
  const look = (steps: number): void => {
    for (let step = 0; step < steps; step += 1) sum = (sum * 31 + step) % 1_000_003;
  };
  const bare = (): void => look(2_000_000);
  const once = cpuRatio(() => look(4_000_000), bare);
  assert.ok(once < 10, `${once}`);
  const forEach = cpuRatio(() => look(60_000_000), bare);
  assert.ok(forEach > 10, `${forEach}`);
});
