import { UsageError } from '../command.ts';

/** One step of a path: a field, an element, all of them, or those that a condition holds for. */
type Step =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'all' }
  | { readonly kind: 'where'; readonly path: JsonPath; readonly equal: boolean; readonly value: unknown };

export type JsonPath = readonly Step[];

type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'path'; readonly path: JsonPath }
  | { readonly kind: 'range'; readonly path: JsonPath; readonly parts: readonly Part[] };

const FIELD = /^\.((?:[^.[\]{}\s'"\\]|\\.)+)/;
const QUOTED = /^\[\s*(?:'([^']*)'|"([^"]*)")\s*\]/;
const INDEX = /^\[\s*(-?\d{1,9})\s*\]/;
const ALL = /^(?:\[\s*\*\s*\]|\.\*)/;
const WHERE = /^\[\?\(\s*@([^=!<>\s]*)\s*(==|!=)\s*(?:'([^']*)'|"([^"]*)"|([\w.-]+))\s*\)\]/;

/** Parses `.labels.env`, `{.labels.env}` or `labels.env`; a dot in a name is escaped, as `.labels.a\.example/b`. */
export function parseJsonPath(given: string): JsonPath {
  const inner = /^\{(.*)\}$/s.exec(given.trim())?.[1] ?? given.trim();
  return stepsOf(/^[.[$@]/.test(inner) ? inner : `.${inner}`, given);
}

function stepsOf(expression: string, given: string): JsonPath {
  const steps: Step[] = [];
  let rest = expression.replace(/^[$@]/, '');
  while (rest !== '' && rest !== '.') {
    const { step, length } = stepAt(rest) ?? {};
    if (step === undefined || length === undefined) {
      throw new UsageError(
        `"${given}": cannot read the path at "${rest}"; write it as .field, ['field'], [0], [*] or [?(@.field=="value")]`,
      );
    }
    steps.push(step);
    rest = rest.slice(length);
  }
  return steps;
}

function stepAt(text: string): { readonly step: Step; readonly length: number } | undefined {
  const all = ALL.exec(text);
  if (all !== null) return { step: { kind: 'all' }, length: all[0].length };
  const field = FIELD.exec(text);
  if (field !== null) {
    return { step: { kind: 'field', name: (field[1] ?? '').replaceAll(/\\(.)/g, '$1') }, length: field[0].length };
  }
  const quoted = QUOTED.exec(text);
  if (quoted !== null) return { step: { kind: 'field', name: quoted[1] ?? quoted[2] ?? '' }, length: quoted[0].length };
  const index = INDEX.exec(text);
  if (index !== null) return { step: { kind: 'index', index: Number(index[1]) }, length: index[0].length };
  const where = WHERE.exec(text);
  if (where === null) return undefined;
  const [whole, path = '', operator, single, double, bare] = where;
  const value = single ?? double ?? literal(bare ?? '');
  return { step: { kind: 'where', path: stepsOf(path, text), equal: operator === '==', value }, length: whole.length };
}

function literal(word: string): unknown {
  const words: Readonly<Record<string, unknown>> = { true: true, false: false, null: null };
  if (Object.hasOwn(words, word)) return words[word];
  return Number.isNaN(Number(word)) ? word : Number(word);
}

/** All values at the path. A path that leads nowhere has none, as with kubectl. */
export function valuesAt(path: JsonPath, data: unknown): readonly unknown[] {
  return path.reduce<readonly unknown[]>((values, step) => values.flatMap((value) => after(step, value)), [data]);
}

function after(step: Step, value: unknown): readonly unknown[] {
  switch (step.kind) {
    case 'field':
      return isMap(value) && Object.hasOwn(value, step.name) ? [value[step.name]] : [];
    case 'index': {
      const found: unknown = Array.isArray(value) ? value.at(step.index) : undefined;
      return found === undefined ? [] : [found];
    }
    case 'all':
      return elementsOf(value);
    case 'where':
      return elementsOf(value).filter((element) => {
        const values = valuesAt(step.path, element);
        return values.some((each) => each === step.value) === step.equal;
      });
  }
}

function elementsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isMap(value) ? Object.values(value) : [];
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Text as it is; anything else as JSON. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The output of a template as kubectl has it, with a line end: `{.items[*].name}`, `{range .items[*]}{.name}{"\n"}{end}`. */
export function renderTemplate(template: string, data: unknown): string {
  const text = renderParts(parseTemplate(template), data);
  return text.endsWith('\n') ? text : `${text}\n`;
}

function renderParts(parts: readonly Part[], data: unknown): string {
  return parts.map((part) => renderPart(part, data)).join('');
}

function renderPart(part: Part, data: unknown): string {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'path':
      return valuesAt(part.path, data).map(textOf).join(' ');
    case 'range':
      return valuesAt(part.path, data)
        .map((value) => renderParts(part.parts, value))
        .join('');
  }
}

interface Open {
  readonly path: JsonPath;
  readonly parts: Part[];
}

function parseTemplate(template: string): readonly Part[] {
  const whole: Part[] = [];
  const open: Open[] = [];
  const add = (part: Part): unknown => (open.at(-1)?.parts ?? whole).push(part);
  for (const [piece, inner] of template.matchAll(/\{((?:"[^"]*"|'[^']*'|[^{}"'])*)\}|[^{}]+|[{}]/g)) {
    if (piece === '{' || piece === '}') throw new UsageError(`"${template}": a brace has no counterpart`);
    const word = inner?.trim();
    if (word === undefined) add({ kind: 'text', text: piece });
    else if (word === 'end') {
      const range = open.pop();
      if (range === undefined) throw new UsageError(`"${template}": {end} without {range}`);
      add({ kind: 'range', ...range });
    } else if (/^range\s/.test(word)) open.push({ path: stepsOf(word.slice(5).trim(), template), parts: [] });
    else if (/^["']/.test(word)) add({ kind: 'text', text: unescaped(word.slice(1, -1)) });
    else add({ kind: 'path', path: stepsOf(word, template) });
  }
  if (open.length > 0) throw new UsageError(`"${template}": {range} without {end}`);
  return whole;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/g, (_, letter: string) => ESCAPES[letter] ?? letter);
}
