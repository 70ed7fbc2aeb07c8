import { Type } from 'typebox';
import type { MetricsText } from '../ports.ts';
import { answer, ok } from '../routes/answer.ts';
import { defineRoute } from '../routes/define-route.ts';
import type { Permission, Route } from '../routes/route.ts';
import type { ReadinessCheck } from './readiness.ts';

export interface OperationsDeps {
  readonly readiness: ReadinessCheck;
  readonly metrics: MetricsText;
  readonly metricsPermission: Permission;
  readonly openapi: () => object;
}

const ReadinessSchema = Type.Object(
  {
    status: Type.Enum(['ready', 'degraded', 'unready']),
    probes: Type.Array(
      Type.Object({
        name: Type.String(),
        status: Type.Enum(['ok', 'failing']),
        message: Type.Optional(Type.String()),
        durationMs: Type.Integer(),
      }),
    ),
  },
  { title: 'Readiness' },
);

/** Routes that every server has, for operators, load balancers and API clients. */
export function operationsRoutes({ readiness, metrics, metricsPermission, openapi }: OperationsDeps): readonly Route[] {
  const shared = { method: 'GET', permission: 'public', tags: ['operations'] } as const;
  const healthz = defineRoute({
    ...shared,
    path: '/healthz',
    operationId: 'getHealth',
    summary: 'Liveness of the process',
    schema: { responses: { 200: Type.Object({ status: Type.Literal('alive') }) } },
    handler: async () => ok({ status: 'alive' }),
  });
  const readyz = defineRoute({
    ...shared,
    path: '/readyz',
    operationId: 'getReadiness',
    summary: 'Readiness of the process',
    schema: { responses: { 200: ReadinessSchema, 503: ReadinessSchema } },
    handler: async () => {
      const body = await readiness.check();
      return body.status === 'unready' ? answer(503, body) : ok(body);
    },
  });
  const metricsRoute = defineRoute({
    ...shared,
    path: '/metrics',
    operationId: 'getMetrics',
    summary: 'Metrics in Prometheus format',
    permission: metricsPermission,
    schema: { responses: { 200: Type.String() } },
    handler: async ({ signal }) => ({
      ...ok(await metrics.text(signal)),
      headers: { 'content-type': metrics.contentType },
    }),
  });
  const description = defineRoute({
    ...shared,
    path: '/openapi.json',
    operationId: 'getOpenapi',
    summary: 'This description',
    schema: { responses: { 200: Type.Unknown({ description: 'An OpenAPI 3.1 document.' }) } },
    handler: async () => ok(openapi()),
  });
  return [
    { ...healthz, unlimited: true },
    { ...readyz, unlimited: true },
    { ...metricsRoute, produces: 'text/plain' },
    description,
  ];
}
