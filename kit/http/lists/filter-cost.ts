import type { ASTNode } from '@marcbachmann/cel-js';
import { childrenOf } from './cel-tree.ts';

/** Calls whose cost is linear in their input. `matches` is not one: JavaScript's regular expressions can run for years. */
const FUNCTIONS: ReadonlySet<string> = new Set([
  'has',
  'size',
  'startsWith',
  'endsWith',
  'contains',
  'lowerAscii',
  'upperAscii',
  'trim',
  'int',
  'double',
  'string',
  'bool',
  'timestamp',
  'duration',
]);
const LOOPS: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one']);

/**
 * Keeps the work on one item small, whatever the expression: no loop inside a loop, no loop over a list that the
 * expression itself spells out, nothing that builds ever longer values. CEL always ends; this makes it end soon.
 */
export function checkFilterCost(node: ASTNode, refuse: (message: string, node: ASTNode) => never): void {
  visit(node, false, refuse);
}

function visit(node: ASTNode, inLoop: boolean, refuse: (message: string, node: ASTNode) => never): void {
  const name = node.op === 'call' || node.op === 'rcall' ? node.args[0] : undefined;
  const loops = name !== undefined && LOOPS.has(name);
  if (name !== undefined && !loops && !FUNCTIONS.has(name)) refuse(`${name}() cannot be used in a filter`, node);
  if (loops && inLoop) refuse(`${name}() cannot stand inside another loop in a filter`, node);
  if (loops && node.op === 'rcall' && !isField(node.args[1])) refuse(`${name}() loops over a field only`, node);
  for (const child of childrenOf(node)) visit(child, inLoop || loops, refuse);
}

function isField(node: ASTNode): boolean {
  if (node.op === 'id') return true;
  return node.op === '.' && isField(node.args[0]);
}
