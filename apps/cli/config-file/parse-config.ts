import type { CliConfig } from './cli-config.ts';

/** The fields of a map: required ones, optional ones, and no others. */
interface Shape {
  readonly required: Readonly<Record<string, Check>>;
  readonly optional?: Readonly<Record<string, Check>>;
}

/** Returns what is wrong with the value at the path. */
type Check = (value: unknown, path: string) => string | undefined;

const text: Check = (value, path) => (typeof value === 'string' ? undefined : `${path} must be a string`);
const word: Check = (value, path) => (value === '' ? `${path} must not be empty` : text(value, path));

const ISSUER = map({
  required: { kind: text, issuer: text, url: text, clientId: text, idToken: text, expireTime: text },
  optional: { ca: text, refreshToken: text },
});
const TOKEN = map({ required: { kind: text, token: text }, optional: { expireTime: text } });

const credentials: Check = (value, path) => {
  const kind = isMap(value) ? value['kind'] : undefined;
  if (kind === 'issuer') return ISSUER(value, path);
  return kind === 'token' ? TOKEN(value, path) : `${path}/kind must be issuer or token`;
};
const CONTEXT = map({
  required: { name: word, server: word },
  optional: { ca: text, workspace: text, credentials },
});
const contexts: Check = (value, path) => {
  if (!Array.isArray(value)) return `${path} must be a list`;
  return firstOf(value.map((context, index) => () => CONTEXT(context, `${path}/${index}`)));
};
const CONFIG = map({
  required: { version: (value, path) => (value === 1 ? undefined : `${path} must be 1`), contexts },
  optional: { currentContext: text },
});

/**
 * Returns the configuration, or what is wrong with it.
 *
 * DECISION: hand-written. Nearly every command reads this file before its request, and loading the schema modules takes
 * longer than the request.
 */
export function parseConfig(raw: unknown): CliConfig | string {
  return CONFIG(raw, '') ?? (raw as CliConfig);
}

function map({ required, optional = {} }: Shape): Check {
  return (value, path) => {
    if (!isMap(value)) return `${path || '/'} must be a map`;
    const missing = Object.keys(required).find((field) => !Object.hasOwn(value, field));
    if (missing !== undefined) return `${path}/${missing} is missing`;
    const fields = new Map(Object.entries({ ...required, ...optional }));
    return firstOf(
      Object.entries(value).map(([field, content]) => () => {
        const check = fields.get(field);
        return check === undefined ? `${path}/${field} is unknown` : check(content, `${path}/${field}`);
      }),
    );
  };
}

function firstOf(checks: readonly (() => string | undefined)[]): string | undefined {
  for (const check of checks) {
    const fault = check();
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
