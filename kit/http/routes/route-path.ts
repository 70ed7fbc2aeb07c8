const TEMPLATE = /^(\/([A-Za-z0-9._~-]+|\{[a-z][A-Za-z0-9]*\}))+(:[a-z][A-Za-z0-9]*)?$/;
const PARAMETER = /\{([^}]+)\}/g;

/** The names in braces, in order. */
export function pathParameters(path: string): string[] {
  return Array.from(path.matchAll(PARAMETER), ([, name]) => name ?? '');
}

/**
 * Paths use OpenAPI syntax, `/v1/things/{name}:pause`. Fastify's router reads a colon as the start of a parameter, so
 * colons are doubled. A parameter ends before a colon: `{name}` never swallows a verb, known or not.
 */
export function toRouterPath(path: string): string {
  if (!TEMPLATE.test(path)) throw new TypeError(`not a path in OpenAPI syntax: ${path}`);
  return path.replaceAll(':', '::').replace(PARAMETER, ':$1([^/:]+)');
}

/** Matches the same paths as the router, to distinguish 405 from 404. */
export function toPathPattern(path: string): RegExp {
  // The router sees decoded parameters, so an encoded slash or colon ends a parameter too.
  const escaped = path.replace(/[.~-]/g, '\\$&').replace(PARAMETER, '(?:(?!%2[fF]|%3[aA])[^/:])+');
  return new RegExp(`^${escaped}$`);
}
