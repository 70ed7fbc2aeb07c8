import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';

/**
 * DECISION: loaded when the first text is read or written, and not on top. Most commands never do, and its modules take as
 * long to load as all of ours.
 */
export function parseYaml(text: string): unknown {
  return load().parse(text);
}

export function renderYaml(data: unknown, options: Yaml.ToStringOptions = {}): string {
  return load().stringify(data, options);
}

function load(): typeof Yaml {
  return createRequire(import.meta.url)('yaml') as typeof Yaml;
}
