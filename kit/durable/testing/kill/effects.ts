import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type ActivityImplementation, implementActivity } from '#kit/durable';
import type { Boundaries } from './boundaries.ts';
import { killWork } from './kill-workflows.ts';

/** A side effect, recorded by the process that caused it. */
export interface Effect {
  readonly key: string;
  readonly token: string;
}

/** Every attempt that succeeds appends a line to a file, so that effects are counted over all lives of the executor. */
export function killActivities(folder: string, boundaries: Boundaries): ActivityImplementation[] {
  let count = 0;
  return [
    implementActivity(killWork, async ({ item, failures = 0 }, { attempt, idempotencyKey: key }) => {
      boundaries.begins(key);
      if (item === HELD) await released(folder, process.pid);
      if (attempt <= failures) throw new Error('not yet');
      if (typeof item === 'number' && item < 0) throw Object.assign(new Error('never'), { name: 'HOPELESS' });
      const token = `token:${key}:${process.pid}.${count++}`;
      appendFileSync(join(folder, 'effects'), `${JSON.stringify({ key, token } satisfies Effect)}\n`);
      boundaries.ends(key);
      return { item, token };
    }),
  ];
}

/** Work that a process begins, and ends when the test lets that process continue. */
export const HELD = 'held';

async function released(folder: string, pid: number): Promise<void> {
  appendFileSync(join(folder, 'holding'), `${pid}\n`);
  while (!existsSync(releaseFile(folder, pid))) await delay(5);
}

export function isHolding(folder: string, pid: number): boolean {
  const file = join(folder, 'holding');
  return existsSync(file) && readFileSync(file, 'utf8').split('\n').includes(String(pid));
}

export function release(folder: string, pid: number): void {
  writeFileSync(releaseFile(folder, pid), '');
}

function releaseFile(folder: string, pid: number): string {
  return join(folder, `released-${pid}`);
}

export function readEffects(folder: string): Effect[] {
  const file = join(folder, 'effects');
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Effect);
}
