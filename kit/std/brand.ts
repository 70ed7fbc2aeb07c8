declare const brand: unique symbol;

/** A value that only a parser can mint: `type TargetId = Brand<string, 'TargetId'>`. */
export type Brand<Base, Name extends string> = Base & { readonly [brand]: Name };
