import type { Json } from '#kit/std';
import { isList, isObject } from '../json.ts';
import { TemplateExhausted } from './template-trouble.ts';

export interface TemplateLimits {
  /** Operations, plus characters that pass through functions. */
  readonly steps: number;
  /** Characters of all documents for one target. */
  readonly output: number;
}

/** The largest document that Kubernetes accepts has 1.5 MiB; a payload may have several of them. */
export const TEMPLATE_LIMITS: TemplateLimits = { steps: 8 * 2 ** 20, output: 8 * 2 ** 20 };

/** Limits the work and output of rendering for one target. */
export class WorkBudget {
  readonly #limits: TemplateLimits;
  #steps = 0;
  #output = 0;

  constructor(limits: TemplateLimits) {
    this.#limits = limits;
  }

  step(count = 1): void {
    this.#steps += count;
    if (this.#steps > this.#limits.steps) throw new TemplateExhausted('the template takes too many steps');
  }

  write(size: number): void {
    this.#output += size;
    if (this.#output > this.#limits.output) {
      throw new TemplateExhausted(`the documents are longer than ${this.#limits.output} characters`);
    }
  }
}

/** The approximate number of characters as JSON. */
export function sizeOf(value: Json): number {
  if (typeof value === 'string') return value.length + 2;
  if (isList(value)) return value.reduce<number>((sum, item) => sum + sizeOf(item) + 1, 2);
  if (!isObject(value)) return 5;
  return Object.entries(value).reduce((sum, [key, field]) => sum + key.length + sizeOf(field) + 4, 2);
}
