/** A step into a value: a property, every item of a list, or the items with a given property value. */
export type PathStep =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'each' }
  | { readonly kind: 'where'; readonly key: string; readonly value: string };

export type FieldPath = readonly PathStep[];

const MAX_LENGTH = 256;
const MAX_STEPS = 16;
const STEP = /^(?:\.?([A-Za-z_$][-\w$]*)|\["([^"\\]{1,128})"\]|\[(\*)\]|\[([A-Za-z_][-\w]*)=([^\]"\\]{1,128})\])/;

/** `status.conditions[type=Ready].status`, `spec.containers[*].image`, `metadata.labels["app.kubernetes.io/name"]`. */
export function parseFieldPath(text: string): FieldPath | undefined {
  if (text.length > MAX_LENGTH || text.startsWith('.')) return undefined;
  const steps: PathStep[] = [];
  for (let rest = text; rest !== ''; ) {
    const found = STEP.exec(rest);
    const isLate = steps.length > 0;
    if (found === null || steps.length === MAX_STEPS) return undefined;
    // A name needs a dot before it, unless it comes first.
    if (found[1] !== undefined && isLate !== rest.startsWith('.')) return undefined;
    steps.push(stepOf(found));
    rest = rest.slice(found[0].length);
  }
  return steps.length === 0 ? undefined : steps;
}

/** All values at the path, in order. */
export function valuesAt(value: unknown, path: FieldPath): readonly unknown[] {
  let found: readonly unknown[] = [value];
  for (const step of path) found = found.flatMap((each) => into(each, step));
  return found;
}

function stepOf([, name, quoted, each, key, value]: RegExpExecArray): PathStep {
  if (each !== undefined) return { kind: 'each' };
  if (key !== undefined) return { kind: 'where', key, value: value ?? '' };
  return { kind: 'key', key: name ?? quoted ?? '' };
}

function into(value: unknown, step: PathStep): readonly unknown[] {
  if (step.kind === 'key') return propertyOf(value, step.key);
  if (!Array.isArray(value)) return [];
  if (step.kind === 'each') return value;
  return value.filter((item) => propertyOf(item, step.key).some((found) => String(found) === step.value));
}

function propertyOf(value: unknown, key: string): readonly unknown[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, key)) return [];
  const found: unknown = (value as Readonly<Record<string, unknown>>)[key];
  return found === null || found === undefined ? [] : [found];
}
