import type { JsonObject } from '#kit/std';
import { isJsonObject } from './json-value.ts';

/** One step into an object, as server-side apply sees it. List items are identified by keys or, in sets, by value. */
export type FieldStep =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'key'; readonly keys: JsonObject }
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'index'; readonly index: number };

/** `.spec.containers[name="web"].image`, in the notation of API server conflicts. */
export function pathText(steps: readonly FieldStep[]): string {
  return steps.map(stepText).join('');
}

function stepText(step: FieldStep): string {
  switch (step.kind) {
    case 'field':
      return `.${step.name}`;
    case 'key':
      return `[${Object.entries(step.keys)
        .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
        .join(',')}]`;
    case 'value':
      return `[=${JSON.stringify(step.value)}]`;
    case 'index':
      return `[${step.index}]`;
  }
}

export function hasKeys(item: unknown, keys: JsonObject): boolean {
  return isJsonObject(item) && Object.entries(keys).every(([name, value]) => item[name] === value);
}
