type Check = (value: unknown) => value is Readonly<Record<string, unknown>>;

/**
 * The checks of the resources of each kind, by the name of the kind. There are none in a checkout: in the package, generated code
 * stands in for this file (`scripts/compiled-schemas.ts`).
 */
export const COMPILED_SCHEMAS: Readonly<Record<string, Check>> = {};
