import type { FastifySwaggerUiOptions } from '@fastify/swagger-ui';
import Fastify, { type FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { HttpError } from '../errors/http-error.ts';
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

/**
 * The API description as pages, with all scripts and styles served by this server. Few processes are ever asked for them, so
 * they are loaded at the first request.
 */
export function registerDocs(app: FastifyInstance, { title, compiled }: Docs): void {
  let loading: Promise<FastifyInstance> | undefined;
  const pages = async (): Promise<FastifyInstance> => {
    loading ??= loadPages(app, title);
    try {
      return await loading;
    } catch (error) {
      loading = undefined;
      throw error;
    }
  };
  for (const url of ['/docs', '/docs/*']) {
    app.get(url, { config: { compiled } }, async (request, reply) => {
      const { url: asked, headers } = request;
      const method = request.method === 'HEAD' ? 'HEAD' : 'GET';
      const answer = await (await pages()).inject({ method, url: asked, headers });
      if (answer.statusCode >= 400)
        throw new HttpError('ROUTE_NOT_FOUND', `There is nothing at ${asked.split('?')[0]}.`);
      return await reply.code(answer.statusCode).headers(answer.headers).send(answer.rawPayload);
    });
  }
  app.addHook('onClose', async () => await (await loading?.catch(() => undefined))?.close());
}

async function loadPages(app: FastifyInstance, title: string): Promise<FastifyInstance> {
  const { default: swaggerUi } = await import('@fastify/swagger-ui');
  const pages = Fastify({ logger: false });
  pages.decorate('swagger', app.swagger);
  const settings = {
    routePrefix: '/docs',
    staticCSP: DOCS_POLICY,
    validatorUrl: false,
    logo: { type: 'image/svg+xml', content: '' },
    theme: { title, css: [{ filename: 'theme.css', content: '.swagger-ui .topbar { display: none; }' }] },
    uiConfig: { deepLinking: true, docExpansion: 'none', validatorUrl: null },
  } as const satisfies FastifySwaggerUiOptions;
  // Not as the plugin that it is: that looks for the one that makes the description, which is in the other instance.
  await pages.register((scope, _, done) => swaggerUi(scope, settings, done));
  return pages;
}
