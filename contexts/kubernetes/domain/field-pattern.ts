export type PatternStep =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'keys'; readonly keys: Readonly<Record<string, string>> };

/** Fields that are left to others. Never the whole object. */
export interface FieldPattern {
  /** As written in the policy. */
  readonly text: string;
  readonly steps: readonly PatternStep[];
}

const NAME = /^[^.[\]"\s]+/;
const QUOTED = /^\["((?:[^"\\]|\\.)*)"\]/;
const BRACKETS = /^\[([^\]"]*)\]/;
const KEY = /^([^=]+)=(.+)$/;
const NOT_TO_BE_IGNORED = new Set(['apiVersion', 'kind', 'metadata']);

/**
 * Parses `/spec/replicas`, `/data/*`, `spec.template.spec.containers[name=web].image`, `metadata.annotations["a.b/c"]`.
 * Returns a string that says what is wrong with an invalid one.
 */
export function parseFieldPattern(text: string): FieldPattern | string {
  const steps = text.startsWith('/') ? pointerSteps(text) : dottedSteps(text);
  if (typeof steps === 'string') return steps;
  const [first] = steps;
  if (first?.kind !== 'name' || (steps.length === 1 && NOT_TO_BE_IGNORED.has(first.name))) {
    return `${JSON.stringify(text)} is not a field that can be ignored`;
  }
  const last = steps.at(-1);
  if (last?.kind === 'name' && /^\d+$/.test(last.name)) {
    return `${JSON.stringify(text)} ends at a number: items of a list are ignored by their keys, as in ports[name=web]`;
  }
  return { text, steps };
}

function pointerSteps(text: string): PatternStep[] | string {
  const parts = text.slice(1).split('/');
  if (parts.some((part) => part === '' || /~(?![01])/.test(part)))
    return `${JSON.stringify(text)} is not a JSON pointer`;
  return parts.map((part) =>
    part === '*' ? { kind: 'any' } : { kind: 'name', name: part.replaceAll('~1', '/').replaceAll('~0', '~') },
  );
}

/**
 * Parses `spec.ports[port=80].targetPort`, `metadata.annotations["a.b/c"]`, `spec.args[*]`. Returns a string that says
 * what is wrong with an invalid one.
 */
function dottedSteps(text: string): PatternStep[] | string {
  const steps: PatternStep[] = [];
  let rest = text.startsWith('.') ? text : `.${text}`;
  while (rest !== '') {
    const [step, length] = nextStep(rest);
    if (step === undefined) return `${JSON.stringify(text)} is invalid from ${JSON.stringify(rest)} on`;
    steps.push(step);
    rest = rest.slice(length);
  }
  return steps;
}

function nextStep(rest: string): [PatternStep | undefined, number] {
  if (rest.startsWith('.')) {
    const name = NAME.exec(rest.slice(1))?.[0];
    return [name === undefined ? undefined : named(name), (name?.length ?? 0) + 1];
  }
  const quoted = QUOTED.exec(rest);
  if (quoted !== null) return [{ kind: 'name', name: (quoted[1] ?? '').replaceAll(/\\(.)/g, '$1') }, quoted[0].length];
  const brackets = BRACKETS.exec(rest);
  return [brackets === null ? undefined : selected(brackets[1] ?? ''), brackets?.[0].length ?? 0];
}

function named(name: string): PatternStep {
  return name === '*' ? { kind: 'any' } : { kind: 'name', name };
}

/** `*`, `0`, `name=web`, `port=80,protocol=TCP`. */
function selected(inside: string): PatternStep | undefined {
  if (inside === '*' || /^\d+$/.test(inside)) return named(inside);
  const keys = inside.split(',').map((part) => KEY.exec(part));
  if (keys.some((key) => key === null)) return undefined;
  return {
    kind: 'keys',
    keys: Object.fromEntries(keys.map((key) => [key?.[1]?.trim() ?? '', key?.[2]?.trim() ?? ''])),
  };
}
