import type { ASTNode } from '@marcbachmann/cel-js';
import { LOOPS } from './check-calls.ts';
import { childrenOf } from './children-of.ts';
import { largest, NOTHING, type Size, sum } from './size.ts';

/**
 * Worst-case cost of a step: it fails, in a loop on each iteration, and an error with its position is created. One unit
 * is about a microsecond.
 */
const STEP = 10;
/** Looks up time zone names. */
const TIME_ZONE = 100;
/** A search compares at most this many pairs of characters per microsecond. */
const SEARCHED = 10_000;
const COPIED = 1_000;
const SEARCHES: ReadonlySet<string> = new Set(['contains', 'indexOf', 'lastIndexOf', 'split']);

interface Estimate {
  readonly cost: number;
  readonly size: Size;
}

/** Sizes by name: the variables, and inside a loop its iteration variable. */
export type Sizes = ReadonlyMap<string, Size>;

/**
 * An upper bound of the cost of evaluating, roughly in microseconds, for variables of these sizes. A loop counts as
 * many iterations as the longest list has entries. The estimate is therefore far above the cost of an ordinary
 * expression, and never far below the cost of a hostile one.
 */
export function costOf(node: ASTNode, sizes: Sizes): number {
  return estimate(node, sizes).cost;
}

function estimate(node: ASTNode, sizes: Sizes): Estimate {
  if (node.op === 'value') {
    const length = typeof node.args === 'string' || node.args instanceof Uint8Array ? node.args.length : 0;
    return { cost: 1, size: { items: 0, text: length, total: 1 + length / COPIED } };
  }
  if (node.op === 'id') return { cost: 1, size: sizes.get(node.args) ?? NOTHING };
  if (node.op === '.' || node.op === '.?') {
    const { cost, size } = estimate(node.args[0], sizes);
    return { cost: cost + STEP, size };
  }
  if (node.op === 'rcall') return receiverCall(node, sizes);
  const parts = childrenOf(node).map((each) => estimate(each, sizes));
  return node.op === 'call' ? call(node.args[0], parts) : operation(node.op, parts);
}

function operation(op: ASTNode['op'], parts: readonly Estimate[]): Estimate {
  const sizes = parts.map(({ size }) => size);
  const [left = NOTHING, right = NOTHING, last = NOTHING] = sizes;
  const cost = STEP + parts.reduce((all, part) => all + part.cost, 0);
  if (op === '[]' || op === '[?]') return { cost, size: left };
  if (op === '?:') return { cost, size: largest(right, last) };
  if (op === '+') return { cost: cost + left.total + right.total, size: sum(left, right) };
  if (op === 'in') return { cost: cost + right.total, size: NOTHING };
  if (op === 'list' || op === 'map') {
    const total = sizes.reduce((all, size) => all + size.total, 1);
    const { items, text } = largest(NOTHING, ...sizes);
    return { cost: cost + parts.length, size: { items: Math.max(items, parts.length), text, total } };
  }
  // Comparisons. The remaining operators are cheaper.
  return { cost: cost + Math.min(left.total, right.total), size: NOTHING };
}

function receiverCall(node: Extract<ASTNode, { op: 'rcall' }>, sizes: Sizes): Estimate {
  const [name, receiver, args] = node.args;
  const [first, ...rest] = args;
  if (name === 'bind' && first?.op === 'id' && rest[0] !== undefined && rest[1] !== undefined) {
    const bound = estimate(rest[0], sizes);
    const result = estimate(rest[1], new Map(sizes).set(first.args, bound.size));
    return { cost: STEP + bound.cost + result.cost, size: result.size };
  }
  if (LOOPS.has(name) && first?.op === 'id') {
    const range = estimate(receiver, sizes);
    const times = Math.max(1, range.size.items);
    // All entries together are no larger than the list that holds them, and costs that depend on `total` are linear.
    const entry = { ...range.size, total: Math.max(1, range.size.total / times) };
    const inside = new Map(sizes).set(first.args, entry);
    const bodies = rest.map((each) => estimate(each, inside));
    const cost = range.cost + STEP + times * bodies.reduce((all, body) => all + body.cost, STEP);
    return { cost, size: looped(name, times, range.size, bodies.at(-1)?.size ?? NOTHING) };
  }
  return call(
    name,
    [receiver, ...args].map((each) => estimate(each, sizes)),
  );
}

function looped(name: string, times: number, range: Size, body: Size): Size {
  if (name === 'filter') return range;
  if (name === 'map') return { items: Math.max(times, body.items), text: body.text, total: times * body.total };
  return NOTHING;
}

function call(name: string, parts: readonly Estimate[]): Estimate {
  const [of = NOTHING, by = NOTHING] = parts.map(({ size }) => size);
  const read = parts.reduce((all, { cost, size }) => all + cost + size.text / COPIED, STEP);
  if (name.startsWith('get')) return { cost: read + TIME_ZONE, size: NOTHING };
  if (name === 'join') {
    const text = Math.max(1, of.items) * (of.text + by.text);
    return { cost: read + of.items + text / COPIED, size: { items: 0, text, total: 1 + text / COPIED } };
  }
  const searched = SEARCHES.has(name) ? (of.text * Math.max(1, by.text)) / SEARCHED : 0;
  if (name === 'split') {
    const size = { items: of.text + 1, text: of.text, total: 2 * of.text + 1 };
    return { cost: read + searched + of.text / 10, size };
  }
  return { cost: read + searched, size: of };
}
