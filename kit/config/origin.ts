import { assertNever } from '#kit/std';

/** Where a value came from. */
export type Origin =
  | { readonly kind: 'flag'; readonly flag: string }
  | { readonly kind: 'environment'; readonly variable: string }
  | { readonly kind: 'file'; readonly path: string; readonly line: number }
  | { readonly kind: 'default' };

export function describeOrigin(origin: Origin): string {
  switch (origin.kind) {
    case 'flag':
      return origin.flag;
    case 'environment':
      return `environment variable ${origin.variable}`;
    case 'file':
      return `${origin.path} line ${origin.line}`;
    case 'default':
      return 'default';
    default:
      return assertNever(origin, 'origin');
  }
}

/** The text that one source provides for a setting. The reader of that source has already resolved the name. */
export interface Given {
  readonly name: string;
  readonly text: string;
  readonly origin: Origin;
}

/** A fault in the input. `name` is the setting, or the text given in its place. */
export interface Fault {
  readonly name: string;
  readonly message: string;
}

/** Everything read from one source. */
export interface Read {
  readonly given: readonly Given[];
  readonly faults: readonly Fault[];
}

/** Names the setting and its source, then says what is wrong: `listen (environment variable X): ...`. */
export function faultOf(name: string, origin: Origin, why: string): Fault {
  const where = describeOrigin(origin);
  return { name, message: origin.kind === 'flag' ? `${where}: ${why}` : `${name} (${where}): ${why}` };
}
