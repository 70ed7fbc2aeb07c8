import { Type } from 'typebox';
import { defineRoute, ok, type Permission, type Route, type RouteRequest } from '../index.ts';

type AnyRequest = RouteRequest<unknown, unknown, unknown, unknown>;

/** A GET that returns or throws what the function does. */
export function getRoute(
  path: string,
  answer: (request: AnyRequest) => unknown,
  permission: Permission = 'x.get',
): Route {
  return defineRoute({
    method: 'GET',
    path,
    operationId: nameOf('get', path),
    summary: 'Get it',
    permission,
    schema: { responses: { 200: Type.Unknown() } },
    handler: async (request) => ok(await answer(request)),
  });
}

/** A POST that takes `{ text }` and returns the result of the function. */
export function postRoute(
  path: string,
  answer: (request: AnyRequest) => unknown,
  permission: Permission = 'x.post',
): Route {
  return defineRoute({
    method: 'POST',
    path,
    operationId: nameOf('post', path),
    summary: 'Post it',
    permission,
    schema: { body: Type.Object({ text: Type.String() }), responses: { 200: Type.Unknown() } },
    handler: async (request) => {
      request.recordNothing();
      return ok(await answer(request));
    },
  });
}

function nameOf(verb: string, path: string): string {
  return `${verb}${path.replace(/[^a-z]/g, '')}`;
}
