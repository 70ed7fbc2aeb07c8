export const BINARY_OPERATORS = ['||', '&&', '==', '!=', '<', '<=', '>', '>=', '+', '-', '*', '/', '%'] as const;
export type BinaryOperator = (typeof BINARY_OPERATORS)[number];
export type UnaryOperator = '!' | '-';

/** The content of `${...}`. `at` is its offset in the surrounding text. */
export type Expression = { readonly at: number } & (
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'member'; readonly of: Expression; readonly key: Expression }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[] }
  | { readonly kind: 'unary'; readonly operator: UnaryOperator; readonly operand: Expression }
  | {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly kind: 'choice';
      readonly when: Expression;
      readonly yes: Expression;
      readonly no: Expression;
    }
);

export type Member = Extract<Expression, { kind: 'member' }>;
export type Call = Extract<Expression, { kind: 'call' }>;
export type Binary = Extract<Expression, { kind: 'binary' }>;

/** `values.image.tag`, for messages. Computed keys are shown as `[...]`. */
export function nameOf(expression: Expression): string {
  if (expression.kind === 'variable') return expression.name;
  if (expression.kind !== 'member') return 'this';
  const { of, key } = expression;
  if (key.kind !== 'literal') return `${nameOf(of)}[...]`;
  return /^[A-Za-z_]\w*$/.test(String(key.value))
    ? `${nameOf(of)}.${key.value}`
    : `${nameOf(of)}[${JSON.stringify(key.value)}]`;
}
