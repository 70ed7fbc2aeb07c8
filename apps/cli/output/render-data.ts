import { renderYaml } from './yaml.ts';

export const OUTPUT_FORMATS = ['table', 'json', 'yaml'] as const;
export type DataFormat = Exclude<(typeof OUTPUT_FORMATS)[number], 'table'>;

/** For programs: everything that the API returned. */
export function renderData(format: DataFormat, data: unknown): string {
  return format === 'json' ? `${JSON.stringify(data, undefined, 2)}\n` : renderYaml(data);
}
