/** Bounds of a value, for estimating the cost of working with it. */
export interface Size {
  /** Entries of the longest list or map in the value. */
  readonly items: number;
  /** Characters of the longest text in the value. */
  readonly text: number;
  /** All nodes, plus a thousandth of all characters: the cost of comparing the value. */
  readonly total: number;
}

export const NOTHING: Size = { items: 0, text: 0, total: 1 };

export function sizeOf(value: unknown): Size {
  let [items, text, total] = [0, 0, 0];
  const open: unknown[] = [value];
  for (let next = open.pop(); open.length > 0 || next !== undefined; next = open.pop()) {
    total += 1;
    if (typeof next === 'string') {
      text = Math.max(text, next.length);
      total += next.length / 1_000;
    } else if (typeof next === 'object' && next !== null) {
      const values: unknown[] = Array.isArray(next) ? next : Object.entries(next).flat();
      items = Math.max(items, Array.isArray(next) ? values.length : values.length / 2);
      for (const each of values) open.push(each);
    }
  }
  return { items, text, total };
}

export function largest(...sizes: readonly Size[]): Size {
  return {
    items: Math.max(...sizes.map(({ items }) => items)),
    text: Math.max(...sizes.map(({ text }) => text)),
    total: Math.max(...sizes.map(({ total }) => total)),
  };
}

export function sum(a: Size, b: Size): Size {
  return { items: a.items + b.items, text: a.text + b.text, total: a.total + b.total };
}
