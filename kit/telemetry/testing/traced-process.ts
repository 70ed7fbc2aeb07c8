/**
 * A process that is traced according to its environment. It prints at exit which modules of the OpenTelemetry SDK it
 * loaded. The API alone does not count: prom-client loads it for its own purposes.
 */
import { registerHooks } from 'node:module';
import { setImmediate as turn } from 'node:timers/promises';

const loaded: string[] = [];
registerHooks({
  load: (url, context, nextLoad) => {
    if (/@opentelemetry\/(?!api\/)/.test(url)) loaded.push(url);
    return nextLoad(url, context);
  },
});

// Imported after the hook is installed, so that every load is seen.
const { createLogger, startTracing } = await import('../index.ts');

const tracer = await startTracing(process.env, {
  serviceName: 'traced-process',
  version: '1.2.3',
  log: createLogger({ level: 'info' }),
});

const headers = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' };
const options = { kind: 'server', attributes: { 'http.route': '/x', token: 'hunter2' }, parent: headers } as const;
const result = await tracer.span('GET /x', options, async (span) => {
  await turn();
  const inner = tracer.span('inner', {}, () => Promise.reject(new Error('refused Bearer hunter2')));
  await inner.catch(() => span.set({ 'http.status': 200 }));
  return span.traceparent;
});
await tracer.span('alone', {}, () => Promise.resolve());
await tracer.shutdown(AbortSignal.timeout(Number(process.argv[2] ?? 5_000)));

// Exits like a server, without waiting for a collector that keeps a connection open.
process.stdout.write(`${JSON.stringify({ loaded, result })}\n`, () => process.exit(0));
