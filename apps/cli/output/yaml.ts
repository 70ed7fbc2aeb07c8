import type * as Yaml from 'yaml';
import { loadYaml } from '#kit/yaml';

export function renderYaml(data: unknown, options: Yaml.ToStringOptions = {}): string {
  return loadYaml().stringify(data, options);
}
