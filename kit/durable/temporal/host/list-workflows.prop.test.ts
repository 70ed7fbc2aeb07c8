import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { installSdk } from '../../../../testing/temporal/install-sdk.ts';
import type { ListDeps } from './list-workflows.ts';
import type { ExecutionInfo } from './temporal-service.ts';

await installSdk();
const { listWorkflows } = await import('./list-workflows.ts');
const { msToTs } = await import('@temporalio/common/lib/time.js');

const DAY_MS = 24 * 60 * 60 * 1_000;
const signal = new AbortController().signal;

/** Temporal's index, for the two time conditions, which are all that differs between queries. */
function indexOf(started: readonly number[]): ListDeps['service'] & { calls: number } {
  const within = (query: string): ExecutionInfo[] => {
    const before = Date.parse(/StartTime < '([^']*)'/.exec(query)?.[1] ?? '');
    const since = Date.parse(/StartTime >= '([^']*)'/.exec(query)?.[1] ?? '1970-01-01');
    return started.flatMap((time, index) =>
      time < before && time >= since
        ? [
            {
              execution: { workflowId: `workflow-${index}` },
              type: { name: 'any' },
              startTime: msToTs(time),
              status: 2,
            },
          ]
        : [],
    );
  };
  return {
    calls: 0,
    async list(query, most) {
      this.calls += 1;
      const found = within(query);
      return found.length > most ? undefined : found;
    },
    async count(query) {
      this.calls += 1;
      return within(query).length;
    },
    closeEvent: async () => undefined,
    events: async () => [],
  };
}

async function allPages(service: ListDeps['service'], pageSize: number) {
  const pages: { id: string; startTime: number }[][] = [];
  let pageToken: string | undefined;
  do {
    const query = { pageSize, ...(pageToken !== undefined && { pageToken }) };
    const page = await listWorkflows({ service, taskQueue: 'any' }, query, signal);
    pages.push(page.items);
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined);
  return pages;
}

/** Some at the same moment, some close together, some years apart. */
const ages = fc.array(
  fc.oneof(fc.constant(5_000), fc.integer({ min: 0, max: 3_000 }), fc.integer({ min: 0, max: 4_000 * DAY_MS })),
  { maxLength: 60 },
);

it('gives every workflow once, the newest first, on pages of the size that was asked for', async () => {
  await fc.assert(
    fc.asyncProperty(ages, fc.integer({ min: 1, max: 20 }), async (each, pageSize) => {
      const now = Date.now();
      const started = each.map((age) => now - age);
      const pages = await allPages(indexOf(started), pageSize);
      assert.ok(pages.slice(0, -1).every((page) => page.length === pageSize));
      const listed = pages.flat();
      assert.equal(new Set(listed.map(({ id }) => id)).size, started.length);
      assert.deepEqual(
        listed.map(({ startTime }) => startTime),
        started.toSorted((a, b) => b - a),
      );
    }),
  );
});

it('asks a handful of times, however crowded or empty the past is', async () => {
  const now = Date.now();
  for (const { why, started } of [
    { why: 'a crowd in the last hour', started: Array.from({ length: 100_000 }, (_, index) => now - index * 36) },
    { why: 'one, ten years ago', started: [now - 3_650 * DAY_MS] },
    { why: 'none', started: [] },
  ]) {
    const index = indexOf(started);
    await listWorkflows({ service: index, taskQueue: 'any' }, { pageSize: 50 }, signal);
    assert.ok(index.calls <= 25, `${why}: ${index.calls} calls`);
  }
});
