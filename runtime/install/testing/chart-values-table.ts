import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isMap, isScalar, type Pair, parseDocument, type YAMLMap } from 'yaml';
import { CHART } from './render-chart.ts';

/** The values of the chart, with their defaults and comments, as its README shows them. */
export async function chartValuesTable(): Promise<string> {
  const { contents } = parseDocument(await readFile(join(CHART, 'values.yaml'), 'utf8'));
  if (!isMap(contents)) throw new TypeError('read the values of the chart: they are no map');
  const rows = rowsOf(contents, '').map(([name, value, words]) => `| \`${name}\` | \`${value}\` | ${words} |`);
  return ['| value | default | |', '|---|---|---|', ...rows].join('\n');
}

type Row = readonly [name: string, value: string, words: string];

/** A comment describes the value below it, and following values without a comment. */
function rowsOf(map: YAMLMap, prefix: string): Row[] {
  let words = '';
  return map.items.flatMap((pair: Pair, index): Row[] => {
    const { key, value } = pair;
    if (!isScalar(key)) return [];
    const own = (index === 0 ? map.commentBefore : undefined) ?? key.commentBefore;
    if (own != null) words = own.replaceAll(/\s*\n\s*/g, ' ').trim();
    const name = `${prefix}${String(key.value)}`;
    if (isMap(value) && value.items.length > 0) return rowsOf(value, `${name}.`);
    return [[name, JSON.stringify(isScalar(value) ? value.value : isMap(value) ? {} : []), words]];
  });
}
