import type { TSchema } from 'typebox';

/** A schema, or a function that loads it once there is a response to check. */
export type LazySchema<S extends TSchema> = S | (() => Promise<S>);

export async function loadSchema<S extends TSchema>(schema: LazySchema<S>): Promise<S> {
  return typeof schema === 'function' ? await schema() : schema;
}
