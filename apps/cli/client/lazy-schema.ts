import type { Static, TSchema } from 'typebox';

/** A schema, a function that loads it once there is a response to check, or a function that checks without it. */
export type LazySchema<S extends TSchema> = S | (() => Promise<S>) | CompiledSchema<S>;

/** Generated from a schema when the package is built: loading the schema takes longer than the request. */
export interface CompiledSchema<S extends TSchema> {
  check(this: void, value: unknown): value is Static<S>;
}

export function isCompiled<S extends TSchema>(schema: LazySchema<S>): schema is CompiledSchema<S> {
  return 'check' in schema && typeof schema.check === 'function';
}

export async function isValid<S extends TSchema>(schema: LazySchema<S>, value: unknown): Promise<boolean> {
  if (isCompiled(schema)) return schema.check(value);
  const [{ Value }, loaded] = [await import('typebox/value'), typeof schema === 'function' ? await schema() : schema];
  return Value.Check(loaded, value);
}
