/** The text of source files, by path below the root. */
export type Sources = ReadonlyMap<string, string>;

const DECLARATION = /\.(?:counter|gauge|histogram)\(\{/g;
const METRIC = /\.(counter|gauge|histogram)\(\{\s*name: (?:'(\w+)'|`(\w+)\$\{name\}`),([\s\S]*?)\}\)/g;
/** A function that declares metrics with a common prefix. */
const HELPER = /const (\w+) = \(name: string/g;
const LABELS = /labels: \[([^\]]*)\]/;
/** Labels that the function declares once, for several metrics. */
const SHARED_LABELS = /const labels = \[([^\]]*)\]/g;

/**
 * Every metric that a process declares, with its labels. Fails when a declaration does not look as expected, since it
 * would be missing.
 */
export function describeMetrics(sources: Sources): readonly string[] {
  return [...sources].flatMap(([path, text]) => metricsOf(path, text)).toSorted();
}

function metricsOf(path: string, text: string): readonly string[] {
  const declared = text.match(DECLARATION)?.length ?? 0;
  const metrics = [...text.matchAll(METRIC)].map(({ index, 1: kind, 2: name, 3: prefix = '', 4: rest = '' }) => {
    const before = text.slice(0, index);
    const [, own] = LABELS.exec(rest) ?? [];
    const shared = /\blabels\b(?!:)/.test(rest) ? [...before.matchAll(SHARED_LABELS)].at(-1)?.[1] : undefined;
    const labels = (own ?? shared ?? '').replaceAll("'", '');
    const names = name === undefined ? namesWith(prefix, [...before.matchAll(HELPER)].at(-1)?.[1] ?? '', text) : [name];
    return names.map((each) => `${each} ${kind}${labels === '' ? '' : ` {${labels}}`}`);
  });
  if (metrics.length === declared && metrics.every((names) => names.length > 0)) return metrics.flat();
  throw new Error(`describe ${path}: ${declared} metrics are declared, of which ${metrics.length} can be read`);
}

function namesWith(prefix: string, helper: string, text: string): readonly string[] {
  return Array.from(text.matchAll(new RegExp(`\\b${helper}\\(\\s*'(\\w+)'`, 'g')), ([, name]) => `${prefix}${name}`);
}

/** The arguments of a command, from its help: the usage, and the first column of its lists. */
export function describeHelp(help: string): readonly string[] {
  const lines = help.split('\n');
  const usage = lines.filter((line) => line.startsWith('Usage:'));
  const listed = lines.flatMap((line) => /^ {2}(\S.*?)(?: {2,}|$)/.exec(line)?.[1] ?? []);
  return [...usage, ...listed.map((entry) => `  ${entry}`)];
}

/** Messages, fields and numbers of a proto file, without comments. */
export function describeProto(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/\s*\/\/.*$/, '').trimEnd())
    .filter((line) => line !== '');
}

/** A line for each column and constraint of a table; an index is one line. */
export function describeTable(statement: string): readonly string[] {
  const text = statement.replace(/\s+/g, ' ').trim();
  const [, head, body] = /^(CREATE TABLE \S+) ?\((.*)\)/.exec(text) ?? [];
  if (head === undefined || body === undefined) return [text];
  return [head, ...splitAtTop(body).map((part) => `  ${part}`)];
}

/** At the commas outside of parentheses. */
function splitAtTop(text: string): readonly string[] {
  const parts = [''];
  let depth = 0;
  for (const letter of text) {
    depth += Number(letter === '(') - Number(letter === ')');
    if (letter === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += letter;
  }
  return parts.map((part) => part.trim());
}
