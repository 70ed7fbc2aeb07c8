import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';

/**
 * DECISION: loaded when the first text is read or written, and not on top. Most processes and commands never do, and for a
 * small one, such as a broker that waits, all the modules of a parser are a tenth of its memory.
 */
export function loadYaml(): typeof Yaml {
  return createRequire(import.meta.url)('yaml') as typeof Yaml;
}
