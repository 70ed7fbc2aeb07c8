export { loadYaml } from './load-yaml.ts';
export { parseYaml, readYaml, type YamlText, yamlValue } from './read-yaml.ts';
export { YamlError, type YamlErrorCode } from './yaml-error.ts';
export { type YamlLimits, type YamlOptions } from './yaml-options.ts';
