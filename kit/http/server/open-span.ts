import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingHttpHeaders } from 'node:http';
import type { OperationInfo, RequestTracer } from '../ports.ts';

/** A span that is opened in one server hook and ended in another. */
export interface OpenSpan {
  readonly traceId: string | undefined;
  /** Runs the work inside the span. */
  run<T>(work: () => T): T;
  end(status: number, error: unknown): void;
}

export function openSpan(tracer: RequestTracer, info: OperationInfo, headers: IncomingHttpHeaders): OpenSpan {
  const ended = Promise.withResolvers<void>();
  const attributes = { 'http.request.method': info.method, 'http.route': info.path };
  let open: OpenSpan = { traceId: undefined, run: (work) => work(), end: () => ended.resolve() };
  const lasting = tracer.span(info.operationId, { kind: 'server', attributes, parent: headers }, async (span) => {
    // Captures the current async context, including the span, for everything that `run` runs.
    const run = AsyncLocalStorage.snapshot();
    open = {
      traceId: span.traceId,
      run: (work) => run(work),
      end: (status, error) => {
        span.set({ 'http.response.status_code': status });
        if (status >= 500) ended.reject(error);
        else ended.resolve();
      },
    };
    await ended.promise;
  });
  // A rejection marks the span as failed; the caller has already been answered.
  lasting.catch(() => {});
  return open;
}
