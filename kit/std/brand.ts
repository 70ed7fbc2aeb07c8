declare const brand: unique symbol;

/** A type whose values only a parser can create: `type TargetId = Brand<string, 'TargetId'>`. */
export type Brand<Base, Name extends string> = Base & { readonly [brand]: Name };
