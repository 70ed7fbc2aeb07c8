import type { Json, JsonObject } from '#kit/std';
import { assertNever } from '#kit/std';
import type { Document } from '#protocol/delivery';
import { isList, isObject } from '../json.ts';
import { marked } from '../secret-mark.ts';
import {
  type Condition,
  type DocumentTemplate,
  MAX_PROBLEMS,
  type Piece,
  type TemplateProblem,
  type TextTemplate,
} from './compile-template.ts';
import { type Evaluation, evaluate, look } from './evaluate.ts';
import { scalarText, typeName } from './template-functions.ts';
import { TemplateExhausted, TemplateTrouble } from './template-trouble.ts';
import { sizeOf, type TemplateLimits, WorkBudget } from './work-budget.ts';

export type Rendered =
  | { readonly kind: 'rendered'; readonly documents: readonly Document[] }
  | { readonly kind: 'failed'; readonly problems: readonly TemplateProblem[] };

export type Variables = ReadonlyMap<string, Json>;

/**
 * Deterministic: the same variables always give the same documents. Values derived from a secret are marked as secret.
 */
export function renderTemplate(
  templates: readonly DocumentTemplate[],
  variables: Variables,
  limits: TemplateLimits,
): Rendered {
  const renderer = new Renderer(limits);
  const documents = templates.flatMap((template) => renderer.documents(template, variables));
  return renderer.problems.length > 0
    ? { kind: 'failed', problems: renderer.problems }
    : { kind: 'rendered', documents };
}

class Renderer {
  readonly problems: TemplateProblem[] = [];
  readonly #budget: WorkBudget;
  #variables: Variables = new Map();
  #isOver = false;

  constructor(limits: TemplateLimits) {
    this.#budget = new WorkBudget(limits);
  }

  documents(template: DocumentTemplate, variables: Variables): readonly Document[] {
    const { each, path } = template;
    this.#variables = variables;
    const items = each === undefined ? [undefined] : this.#items(each);
    return items.flatMap((item) => {
      this.#variables =
        each === undefined || item === undefined ? variables : new Map([...variables, [each.name, item]]);
      if (template.when !== undefined && !this.#isWanted(template.when)) return [];
      const document = this.#guarded({ path, source: '' }, () => this.#piece(template.body));
      return isObject(document) ? [document] : [];
    });
  }

  #items(each: Condition): readonly Json[] {
    const list = this.#open(each, (value) => {
      if (isList(value)) return value;
      throw new TemplateTrouble(each.expression.at, `expected a list, not ${typeName(value)}`);
    });
    return list ?? [];
  }

  #isWanted(when: Condition): boolean {
    const wanted = this.#open(when, (value) => {
      if (typeof value === 'boolean') return value;
      throw new TemplateTrouble(when.expression.at, `expected a boolean, not ${typeName(value)}`);
    });
    return wanted ?? false;
  }

  /** The number of documents is visible, so it must not depend on a secret. */
  #open<T>({ text, expression }: Condition, read: (value: Json) => T): T | undefined {
    return this.#guarded(text, () => {
      const run = this.#evaluation();
      const value = evaluate(expression, run);
      if (!run.sawSecret) return read(value);
      throw new TemplateTrouble(expression.at, 'the number of documents must not depend on a secret');
    });
  }

  #piece(piece: Piece): Json {
    switch (piece.kind) {
      case 'fixed':
        this.#budget.write(piece.size);
        return piece.value;
      case 'text':
        return this.#guarded(piece.text, () => this.#value(piece.text)) ?? null;
      case 'list':
        this.#budget.write(piece.items.length + 2);
        return piece.items.map((item) => this.#piece(item));
      case 'object':
        return this.#object(piece.entries);
      default:
        return assertNever(piece, 'piece');
    }
  }

  #object(entries: readonly (readonly [string | TextTemplate, Piece])[]): JsonObject {
    const fields = new Map<string, Json>();
    for (const [name, piece] of entries) {
      const key = typeof name === 'string' ? name : this.#guarded(name, () => this.#key(name, fields));
      if (key === undefined) continue;
      this.#budget.write(key.length + 4);
      fields.set(key, this.#piece(piece));
    }
    return Object.fromEntries(fields);
  }

  #key(name: TextTemplate, taken: ReadonlyMap<string, Json>): string {
    const key = this.#value(name);
    if (typeof key !== 'string') throw new TemplateTrouble(0, 'a key must be a text without secrets');
    if (taken.has(key)) throw new TemplateTrouble(0, 'this key evaluates to one that the object has already');
    return key;
  }

  /** A single expression keeps the type of its value; within other text it becomes text. */
  #value({ parts }: TextTemplate): Json {
    const run = this.#evaluation();
    const [only] = parts;
    const value =
      parts.length === 1 && typeof only === 'object'
        ? evaluate(only, run)
        : parts.map((part) => textOf(part, run)).join('');
    this.#budget.write(sizeOf(value));
    return run.sawSecret ? marked(value) : value;
  }

  #evaluation(): Evaluation {
    return { variables: this.#variables, budget: this.#budget, sawSecret: false };
  }

  /** A text that fails does not hide the problems of the others. */
  #guarded<T>({ path, source }: Pick<TextTemplate, 'path' | 'source'>, body: () => T): T | undefined {
    if (this.#isOver) return undefined;
    try {
      return body();
    } catch (error) {
      const isExhausted = error instanceof TemplateExhausted;
      if (!isExhausted && !(error instanceof TemplateTrouble)) throw error;
      const offset = isExhausted ? 0 : error.at;
      this.problems.push({ place: { path, source, offset }, message: error.message });
      this.#isOver = isExhausted || this.problems.length >= MAX_PROBLEMS;
      return undefined;
    }
  }
}

function textOf(part: TextTemplate['parts'][number], run: Evaluation): string {
  if (typeof part === 'string') return part;
  const refuse = (message: string): never => {
    throw new TemplateTrouble(part.at, message);
  };
  const text = scalarText(look(evaluate(part, run), run), { refuse });
  run.budget.step(text.length);
  return text;
}
