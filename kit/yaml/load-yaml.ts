import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';

/**
 * DECISION: the library is loaded when the first text is read or written, not at import. Most processes and commands
 * never need it, and in a small process, such as an idle broker, the parser's modules take a tenth of the memory.
 */
export function loadYaml(): typeof Yaml {
  return createRequire(import.meta.url)('yaml') as typeof Yaml;
}
