import type { Json, JsonObject } from '#kit/std';
import { escapePointer } from '#kit/std';
import type { Document } from '#protocol/delivery';
import { isList, isObject } from '../json.ts';
import type { Expression } from './expression.ts';
import { inspect, TEMPLATE_VARIABLES } from './inspect-expression.ts';
import { parseText, type TextPart } from './parse-text.ts';
import { TemplateTrouble } from './template-trouble.ts';
import { sizeOf } from './work-budget.ts';

/** A position in a template: the pointer to a text, that text, and the offset in it. */
export interface TemplatePlace {
  readonly path: string;
  readonly source: string;
  readonly offset: number;
}

export interface TemplateProblem {
  readonly place: TemplatePlace;
  readonly message: string;
}

export interface TextTemplate {
  readonly path: string;
  readonly source: string;
  readonly parts: readonly TextPart[];
}

/** A part of a document, prepared as far as possible without a target. */
export type Piece =
  | { readonly kind: 'fixed'; readonly value: Json; readonly size: number }
  | { readonly kind: 'text'; readonly text: TextTemplate }
  | { readonly kind: 'list'; readonly items: readonly Piece[] }
  | { readonly kind: 'object'; readonly entries: readonly (readonly [key: string | TextTemplate, field: Piece])[] };

export interface DocumentTemplate {
  readonly path: string;
  readonly body: Piece;
  /** `$when`: whether the document is generated at all. */
  readonly when: Condition | undefined;
  /** `$each`: one document for each item of a list. */
  readonly each: Loop | undefined;
}

export interface Condition {
  readonly text: TextTemplate;
  readonly expression: Expression;
}

export interface Loop extends Condition {
  readonly name: string;
}

export interface CompiledTemplate {
  readonly documents: readonly DocumentTemplate[];
  /** The fields of a target that affect the output, as sorted JSON pointers into it. */
  readonly reads: readonly string[];
  readonly problems: readonly TemplateProblem[];
}

/** Fixing the first few usually fixes most of the others. */
export const MAX_PROBLEMS = 20;

/**
 * Compiles a template as far as possible without a target, and reports its first problems. Paths begin with the index of
 * the document.
 */
export function compileTemplate(documents: readonly Document[]): CompiledTemplate {
  const compiler = new Compiler();
  const compiled = documents.map((document, index) => compiler.document(document, `/${index}`));
  return { documents: compiled, reads: [...compiler.reads].sort(), problems: compiler.problems };
}

class Compiler {
  readonly reads = new Set<string>();
  readonly problems: TemplateProblem[] = [];
  #bound: ReadonlySet<string> = new Set();

  document({ $when, $each, ...body }: Document, path: string): DocumentTemplate {
    this.#bound = new Set();
    // The list is evaluated before the item is bound.
    const each = $each === undefined ? undefined : this.#loop($each, `${path}/$each`);
    this.#bound = new Set(each === undefined ? [] : [each.name]);
    const when = $when === undefined ? undefined : this.#condition($when, `${path}/$when`);
    return { path, each, when, body: this.#piece(body, path) };
  }

  #loop(each: Json, path: string): Loop | undefined {
    const entries = isObject(each) ? Object.entries(each) : [];
    const [first] = entries;
    if (first === undefined || entries.length > 1)
      return this.#refuse(path, 'must be one name and its list: { "item": "${values.items}" }');
    const [name, list] = first;
    if (!/^[A-Za-z_]\w*$/.test(name) || TEMPLATE_VARIABLES.has(name)) {
      return this.#refuse(path, 'must bind a name of letters, digits and _ that is not a variable already');
    }
    const condition = this.#condition(list, `${path}/${name}`);
    return condition && { ...condition, name };
  }

  #condition(value: Json, path: string): Condition | undefined {
    const text = typeof value === 'string' ? this.#text(value, path) : undefined;
    const [expression, ...others] = text?.parts ?? [];
    if (text !== undefined && typeof expression === 'object' && others.length === 0) return { text, expression };
    // A text that could not be parsed has been reported already.
    return typeof value === 'string' && value.includes('${') && text === undefined
      ? undefined
      : this.#refuse(path, 'must be one expression: "${...}"');
  }

  #piece(value: Json, path: string): Piece {
    if (typeof value === 'string') {
      const text = this.#text(value, path);
      return text === undefined ? fixed(value) : { kind: 'text', text };
    }
    if (isList(value)) {
      const items = value.map((item, index) => this.#piece(item, `${path}/${index}`));
      return items.every(isFixed) ? fixed(value) : { kind: 'list', items };
    }
    return isObject(value) ? this.#object(value, path) : fixed(value);
  }

  #object(value: JsonObject, path: string): Piece {
    const entries = Object.entries(value).map(([key, field]) => {
      const at = `${path}/${escapePointer(key)}`;
      return [this.#text(key, at) ?? key, this.#piece(field, at)] as const;
    });
    const isAllFixed = entries.every(([key, field]) => typeof key === 'string' && isFixed(field));
    return isAllFixed ? fixed(value) : { kind: 'object', entries };
  }

  /** `undefined` for a text without expressions. */
  #text(source: string, path: string): TextTemplate | undefined {
    const troubles: TemplateTrouble[] = [];
    const parts = this.#parts(source, troubles);
    for (const part of parts ?? []) {
      if (typeof part === 'object') inspect(part, { bound: this.#bound, reads: this.reads, troubles });
    }
    for (const { at, message } of troubles) this.#report({ place: { path, source, offset: at }, message });
    return parts && { path, source, parts };
  }

  #parts(source: string, troubles: TemplateTrouble[]): readonly TextPart[] | undefined {
    try {
      return parseText(source);
    } catch (error) {
      if (!(error instanceof TemplateTrouble)) throw error;
      troubles.push(error);
      return undefined;
    }
  }

  #refuse(path: string, message: string): undefined {
    this.#report({ place: { path, source: '', offset: 0 }, message });
    return undefined;
  }

  /** Limited, because locating a problem means scanning the whole text before it. */
  #report(problem: TemplateProblem): void {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push(problem);
  }
}

function fixed(value: Json): Piece {
  return { kind: 'fixed', value, size: sizeOf(value) };
}

function isFixed(piece: Piece): boolean {
  return piece.kind === 'fixed';
}
