import type { PatternStep } from './ignore-fields.ts';

const NAME = /^[^.[\]"\s]+/;
const QUOTED = /^\["((?:[^"\\]|\\.)*)"\]/;
const BRACKETS = /^\[([^\]"]*)\]/;
const KEY = /^([^=]+)=(.+)$/;

/** `spec.ports[port=80].targetPort`, `metadata.annotations["a.b/c"]`, `spec.args[*]`; or what is wrong with it. */
export function parseDottedPath(text: string): PatternStep[] | string {
  const steps: PatternStep[] = [];
  let rest = text.startsWith('.') ? text : `.${text}`;
  while (rest !== '') {
    const [step, length] = nextStep(rest);
    if (step === undefined) return `${JSON.stringify(text)} cannot be read from ${JSON.stringify(rest)} on`;
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
  return { kind: 'keys', keys: Object.fromEntries(keys.map((key) => [key?.[1]?.trim() ?? '', key?.[2]?.trim() ?? ''])) };
}
