import type { TSchema } from 'typebox';
import type { Route } from './route.ts';
import { pathParameters, toRouterPath } from './route-path.ts';

const PERMISSION = /^[a-z][a-zA-Z0-9-]*(\.[a-z][a-zA-Z0-9-]*)+$/;
const OPERATION_ID = /^[a-z][a-zA-Z0-9]*$/;
const RESERVED_QUERY = ['dryRun'];

/** Rules that the compiler cannot check, or that a caller without types could break. */
export function checkRoute(route: Route): Route {
  const complain = (rule: string): never => {
    throw new TypeError(`${route.method} ${route.path}: ${rule}`);
  };
  toRouterPath(route.path);
  if (route.permission !== 'public' && !PERMISSION.test(route.permission ?? '')) {
    complain('declares a permission such as things.read, or public');
  }
  if (!OPERATION_ID.test(route.operationId)) complain('has an operationId in lowerCamelCase');
  checkParameters(route, complain);
  checkHeaders(route, complain);
  return route;
}

function checkParameters({ method, path, schema }: Route, complain: (rule: string) => never): void {
  const declared = Object.keys(schema.params?.properties ?? {}).sort();
  const inPath = pathParameters(path).sort();
  if (declared.join() !== inPath.join()) complain(`its params schema names exactly ${inPath.join(', ') || 'nothing'}`);
  if (RESERVED_QUERY.some((name) => name in (schema.query?.properties ?? {}))) complain('leaves dryRun to the server');
  if (method === 'GET' && schema.body) complain('takes no body');
}

function checkHeaders(route: Route, complain: (rule: string) => never): void {
  if (route.ifMatch && route.method === 'GET') complain('changes nothing, so it has no If-Match');
  if (route.readOnly && route.method !== 'POST') complain('says readOnly, which only a POST has to');
  if (route.idempotency && route.method !== 'POST') complain('creates nothing, so it has no Idempotency-Key');
  if (route.idempotency && route.permission === 'public') complain('has no principal to keep an Idempotency-Key for');
  if (!route.etag) return;
  const bodies = Object.entries(route.schema.responses).filter(([status]) => status.startsWith('2'));
  if (!bodies.every(([, schema]) => hasEtag(schema))) complain('has an etag field in each successful answer');
}

function hasEtag(schema: TSchema): boolean {
  if (!('properties' in schema)) return false;
  return typeof schema.properties === 'object' && schema.properties !== null && 'etag' in schema.properties;
}
