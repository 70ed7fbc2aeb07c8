import type { Expression } from './expression.ts';
import { parseExpression } from './parse-expression.ts';

/** Literal text, or an expression to be replaced by its value. */
export type TextPart = string | Expression;

/** `undefined` for a text that contains no `${`. `$${` stands for a literal `${`. */
export function parseText(source: string): readonly TextPart[] | undefined {
  if (!source.includes('${')) return undefined;
  const parts: TextPart[] = [];
  let literal = '';
  let from = 0;
  for (;;) {
    const open = source.indexOf('${', from);
    if (open === -1) break;
    if (open > from && source[open - 1] === '$') {
      literal += `${source.slice(from, open - 1)}\${`;
      from = open + 2;
      continue;
    }
    literal += source.slice(from, open);
    const { expression, end } = parseExpression(source, open + 2);
    if (literal !== '') parts.push(literal);
    parts.push(expression);
    literal = '';
    from = end;
  }
  literal += source.slice(from);
  return literal === '' ? parts : [...parts, literal];
}
