import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReportingExporter } from './reporting-exporter.ts';
import { memoryLogger } from './testing/index.ts';

test('one line when spans stop arriving and one when they arrive again, and every result is passed on', () => {
  const { log, lines } = memoryLogger();
  const results = [0, 1, 1, 0, 0].map((code) => ({ code }));
  const coming = [...results];
  const exporter = new ReportingExporter(
    { export: (_spans, report) => report(coming.shift() ?? { code: 0 }), shutdown: () => Promise.resolve() },
    log,
  );
  const passedOn: unknown[] = [];
  for (const _ of results) exporter.export([], (result) => passedOn.push(result));
  assert.deepEqual(passedOn, results);
  assert.deepEqual(
    lines.map(({ msg }) => msg),
    ['traces not accepted; dropped until they are', 'traces are accepted again'],
  );
});
