import type { ASTNode } from '@marcbachmann/cel-js';
import { childrenOf } from './children-of.ts';

export const LOOPS: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);

export interface CallRules {
  readonly functions: ReadonlySet<string>;
  /** For messages: `a filter`. */
  readonly where: string;
  /**
   * For expressions that run on thousands of items: no nested loops, and loops only over fields, not over list literals
   * or computed lists.
   */
  readonly loops?: 'flat';
}

/**
 * Allows only the listed functions. `matches` is never allowed: it runs as a JavaScript regular expression, and a
 * crafted pattern can keep that busy for years.
 */
export function checkCalls(node: ASTNode, rules: CallRules, refuse: (message: string, node: ASTNode) => never): void {
  visit(node, { rules, refuse, isInLoop: false });
}

interface Visit {
  readonly rules: CallRules;
  readonly refuse: (message: string, node: ASTNode) => never;
  readonly isInLoop: boolean;
}

function visit(node: ASTNode, { rules, refuse, isInLoop }: Visit): void {
  const name = node.op === 'call' || node.op === 'rcall' ? node.args[0] : undefined;
  const loops = name !== undefined && LOOPS.has(name);
  if (name === 'matches') refuse(`matches() cannot be used: use ==, startsWith(), endsWith() or contains()`, node);
  if (name !== undefined && !rules.functions.has(name)) refuse(`${name}() cannot be used in ${rules.where}`, node);
  if (loops && rules.loops === 'flat') {
    if (isInLoop) refuse(`${name}() cannot stand inside another loop in ${rules.where}`, node);
    if (node.op === 'rcall' && !isField(node.args[1])) refuse(`${name}() loops over a field only`, node);
  }
  for (const child of childrenOf(node)) visit(child, { rules, refuse, isInLoop: isInLoop || loops });
}

function isField(node: ASTNode): boolean {
  if (node.op === 'id') return true;
  return node.op === '.' && isField(node.args[0]);
}
