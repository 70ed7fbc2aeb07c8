import type { TObject, TSchema } from 'typebox';

/** The schema of `spec` in a document: the body of a create, without the fields that stand beside the spec. */
export async function specSchema(
  body: TObject,
  beside: readonly string[],
  more: Readonly<Record<string, TSchema>> = {},
): Promise<TObject> {
  const { Type } = await import('typebox');
  const fields = Object.entries({ ...body.properties, ...more });
  const own = fields.filter(([name]) => !beside.includes(name));
  const required = own.filter(([name]) => body.required?.includes(name));
  return Type.Object(
    Object.fromEntries(
      own.map(([name, schema]) => [name, required.some(([each]) => each === name) ? schema : Type.Optional(schema)]),
    ),
  );
}
