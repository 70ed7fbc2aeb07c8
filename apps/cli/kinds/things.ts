import { UsageError } from '../command.ts';
import type { Kind } from './kind.ts';
import { kindNamed } from './kinds.ts';

/** A resource as named in arguments. */
export interface Thing {
  readonly kind: Kind;
  readonly name: string;
}

/** `target a b`, or `target/a workspace/b` as printed by `-o name`. A kind alone names no resource. */
export function readThings(words: readonly string[]): { readonly kind: Kind; readonly things: readonly Thing[] } {
  const [first = '', ...names] = words;
  if (!first.includes('/')) {
    const kind = kindNamed(first);
    return { kind, things: [...new Set(names)].map((name) => ({ kind, name: withoutKind(name, kind) })) };
  }
  const things = words.map((word) => {
    const [kind = '', name = '', rest] = word.split('/');
    if (name === '' || rest !== undefined) throw new UsageError(`"${word}" is not of the form workspace/web`);
    return { kind: kindNamed(kind), name };
  });
  return { kind: things[0]?.kind ?? kindNamed(first), things };
}

export function someThings(words: readonly string[], what: string): readonly Thing[] {
  const { kind, things } = readThings(words);
  if (kind.nameOf === undefined) throw new UsageError(`${kind.plural} has no names and can only be listed`);
  if (things.length === 0) throw new UsageError(`name the ${kind.plural} to ${what}`);
  return things;
}

/** Accepts `target target/a`, as built by scripts that combine a kind with `-o name`. */
function withoutKind(name: string, kind: Kind): string {
  const [head = '', tail] = name.split('/');
  if (tail === undefined) return name;
  if (kindNamed(head) === kind && tail !== '') return tail;
  throw new UsageError(`"${name}": expected a name without a slash`);
}
