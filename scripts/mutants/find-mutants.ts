import { parseSync } from '@swc/core';

/** What a mutant changes; a comparison of two versions counts each kind apart. */
export const MUTANT_KINDS = ['boundary', 'condition', 'operator', 'constant', 'statement', 'early-return'] as const;
export type MutantKind = (typeof MUTANT_KINDS)[number];

/** One changed place of a file: the bytes from `start` to `end` become `replacement`. */
export interface Mutant {
  readonly kind: MutantKind;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** A node of the parser, of which only what every node has is known by type. */
interface Node {
  readonly type: string;
  readonly span: Span;
  readonly [key: string]: unknown;
}

const BOUNDARIES: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };
const OPERATORS: Readonly<Record<string, string>> = {
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&&': '||',
  '||': '&&',
  '??': '',
  '===': '!==',
  '!==': '===',
};
const EFFECTS = ['CallExpression', 'AwaitExpression', 'AssignmentExpression', 'UpdateExpression', 'DeleteExpression'];
/** A lost log line or measurement is no fault of the program's logic. */
const OBSERVING = /\b#?(log|logger|metrics?|meter)\b/i;
/** Wrappers of expressions that are erased; every other node of this prefix is only a type. */
const ERASED = ['TsAsExpression', 'TsSatisfiesExpression', 'TsNonNullExpression', 'TsConstAssertion'];

/** Every mutant of a source, in order of position. */
export function findMutants(source: string): Mutant[] {
  const text = Buffer.from(source);
  const found: Mutant[] = [];
  // Positions of the parser count bytes from 1.
  const range = ({ span }: Node): Span => ({ start: span.start - 1, end: span.end - 1 });
  const textOf = (node: Node): string => text.subarray(range(node).start, range(node).end).toString();
  const add = (kind: MutantKind, { start, end }: Span, replacement: string): void => {
    found.push({ kind, start, end, replacement });
  };

  const visit = (node: Node): void => {
    switch (node.type) {
      case 'ImportDeclaration':
      case 'ExportAllDeclaration':
        return;
      case 'BinaryExpression':
        mutateOperator(node);
        break;
      case 'IfStatement':
      case 'ConditionalExpression':
      case 'WhileStatement': {
        const test = node['test'] as Node;
        add('condition', range(test), `!(${textOf(test)})`);
        break;
      }
      case 'NumericLiteral':
        add('constant', range(node), `(${textOf(node)} + 1)`);
        break;
      case 'BooleanLiteral':
        add('constant', range(node), String(node['value'] !== true));
        break;
      case 'ExpressionStatement': {
        const { type } = node['expression'] as Node;
        if (EFFECTS.includes(type) && !OBSERVING.test(textOf(node))) add('statement', range(node), ';');
        break;
      }
      case 'ThrowStatement':
      case 'ContinueStatement':
      case 'BreakStatement':
        add('statement', range(node), ';');
        break;
      default:
        if (node.type.startsWith('Ts') && !ERASED.includes(node.type)) return;
        mutateBody(node);
    }
    for (const child of childrenOf(node)) visit(child);
  };

  const mutateOperator = (node: Node): void => {
    const operator = String(node['operator']);
    const [left, right] = [node['left'], node['right']] as [Node, Node];
    const kind = operator in BOUNDARIES ? 'boundary' : 'operator';
    const other = BOUNDARIES[operator] ?? OPERATORS[operator];
    if (other === undefined) return;
    // Between the operands stand the operator, spaces, comments and the parentheses of either.
    const start = range(left).end;
    const between = text.subarray(start, range(right).start).toString();
    const at = between.replaceAll(/\/\*.*?\*\//gs, (comment) => ' '.repeat(comment.length)).indexOf(operator);
    if (at < 0) return;
    const from = start + Buffer.byteLength(between.slice(0, at));
    const span = { start: from, end: from + operator.length };
    // `&&` beside `||` or a further `??` would need parentheses: the default is dropped instead.
    if (operator === '??') add(kind, range(node), `(${textOf(left)})`);
    else add(kind, span, other);
  };

  /** A function that returns before one of its later statements. */
  const mutateBody = (node: Node): void => {
    const body = bodyOf(node);
    for (const statement of (body ?? []).slice(1)) {
      if (statement.type.endsWith('Declaration')) continue;
      const { start } = range(statement);
      add('early-return', { start, end: start }, 'return; ');
    }
  };

  visit(parseSync(source, { syntax: 'typescript', target: 'es2024' }) as unknown as Node);
  return found.toSorted((a, b) => a.start - b.start || a.end - b.end);
}

const FUNCTIONS = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression', 'Constructor'];

function bodyOf(node: Node): readonly Node[] | undefined {
  const isMethod = node.type === 'ClassMethod' || node.type === 'PrivateMethod' || node.type === 'MethodProperty';
  const owner = isMethod ? ((node['function'] as Node | undefined) ?? node) : node;
  if (!isMethod && !FUNCTIONS.includes(node.type)) return undefined;
  const body = owner['body'] as Node | null | undefined;
  return body === null || body === undefined ? undefined : (body['stmts'] as readonly Node[] | undefined);
}

function* childrenOf(node: Node): Iterable<Node> {
  for (const value of Object.values(node)) {
    for (const one of Array.isArray(value) ? value : [value]) yield* nodesIn(one);
  }
}

/** Nodes are sometimes wrapped in an object that is none: an argument, a pattern's element. */
function* nodesIn(value: unknown): Iterable<Node> {
  if (typeof value !== 'object' || value === null) return;
  if ('type' in value && 'span' in value) yield value as Node;
  else if (!('ctxt' in value && 'start' in value)) for (const inner of Object.values(value)) yield* nodesIn(inner);
}

/** The source with this change. */
export function mutated(source: string, { start, end, replacement }: Mutant): string {
  const text = Buffer.from(source);
  return Buffer.concat([text.subarray(0, start), Buffer.from(replacement), text.subarray(end)]).toString();
}
