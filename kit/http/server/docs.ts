import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { ok } from '../routes/answer.ts';
import { defineRoute } from '../routes/define-route.ts';
import type { CompiledRoute } from './compiled-route.ts';
import { DOCS_POLICY } from './security-headers.ts';

interface Docs {
  readonly title: string;
  /** The route under which the pages are admitted and counted. */
  readonly compiled: CompiledRoute;
}

/** Represents the pages, which a plugin serves, for admission, metrics and the list of routes. */
export const docsRoute = defineRoute({
  method: 'GET',
  path: '/docs',
  operationId: 'getDocs',
  summary: 'The documentation',
  permission: 'public',
  schema: { responses: { 200: Type.String() } },
  handler: async () => ok(''),
});

/** The API description as pages, with all scripts and styles served by this server. */
export async function registerDocs(app: FastifyInstance, { title, compiled }: Docs): Promise<void> {
  await app.register(async (scope) => {
    scope.addHook('onRoute', (route) => {
      route.config = { ...route.config, compiled };
    });
    await scope.register(swaggerUi, {
      routePrefix: '/docs',
      staticCSP: DOCS_POLICY,
      validatorUrl: false,
      logo: { type: 'image/svg+xml', content: '' },
      theme: { title, css: [{ filename: 'theme.css', content: '.swagger-ui .topbar { display: none; }' }] },
      uiConfig: { deepLinking: true, docExpansion: 'none', validatorUrl: null },
    });
  });
}
