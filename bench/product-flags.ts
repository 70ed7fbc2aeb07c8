import { readFileSync } from 'node:fs';

/** The flags with which the launcher starts Node for a command; by default those of most commands, such as `serve`. */
export function productFlags(command = 'serve'): readonly string[] {
  const lines = readFileSync(new URL('../bin/node-flags', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  const flags = new Map(
    lines.filter((line) => !line.startsWith('#')).map((line) => line.split(/ (.*)/, 2) as [string, string]),
  );
  return (flags.get(command) ?? flags.get('*') ?? '').split(' ');
}

/** Variables that the launcher sets. */
export const PRODUCT_ENVIRONMENT = { MALLOC_ARENA_MAX: '2' };
