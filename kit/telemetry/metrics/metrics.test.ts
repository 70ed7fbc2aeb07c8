import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { PATIENCE_MS } from '#testing/patience';
import { createMetrics } from './metrics.ts';

test('each kind of metric shows with its help, labels and value', async () => {
  const metrics = createMetrics();
  const served = metrics.counter({ name: 'served_total', help: 'Requests served.', labels: ['method'] });
  served.add({ method: 'GET' });
  served.add({ method: 'GET' }, 2);
  metrics.gauge({ name: 'waiting', help: 'Items that wait.' }).set({}, 7);
  metrics
    .histogram({ name: 'seconds', help: 'How long.', labels: ['route'], buckets: [0.1, 1] })
    .observe({ route: '/x' }, 0.5);
  const text = await metrics.text();
  for (const line of [
    '# HELP served_total Requests served.',
    '# TYPE served_total counter',
    'served_total{method="GET"} 3',
    'waiting 7',
    'seconds_bucket{le="0.1",route="/x"} 0',
    'seconds_bucket{le="1",route="/x"} 1',
    'seconds_count{route="/x"} 1',
  ]) {
    assert.ok(text.split('\n').includes(line), `${line} is not in\n${text}`);
  }
  assert.match(metrics.contentType, /^text\/plain; version=0\.0\.4/);
});

test('two instances know nothing of each other', async () => {
  const [a, b] = [createMetrics(), createMetrics()];
  for (const metrics of [a, b]) metrics.counter({ name: 'seen_total', help: 'Seen.' }).add({}, 1);
  assert.match(await a.text(), /^seen_total 1$/m);
  assert.match(await b.text(), /^seen_total 1$/m);
});

test('the process itself is measured', async () => {
  const text = await createMetrics().text();
  assert.match(text, /^process_cpu_seconds_total /m);
  assert.match(text, /^nodejs_eventloop_lag_p99_seconds /m);
});

test('a label that was not declared does not compile and is refused', () => {
  const counter = createMetrics().counter({ name: 'c_total', help: 'C.', labels: ['a'] });
  // @ts-expect-error: only declared labels have a type.
  assert.throws(() => counter.add({ b: 'x' }));
});

test('metrics do not keep a process alive', () => {
  const script = `import { createMetrics } from ${JSON.stringify(new URL('./metrics.ts', import.meta.url))}; createMetrics();`;
  execFileSync(process.execPath, ['--input-type=module', '--eval', script], { timeout: PATIENCE_MS });
});
