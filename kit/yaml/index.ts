export { loadYaml } from './load-yaml.ts';
export { parseYaml, readYaml, type YamlText, yamlValue } from './read-yaml.ts';
export { YAML_ERRORS, YamlError, type YamlErrorCode } from './yaml-error.ts';
export { YAML_LIMITS, type YamlLimits, type YamlOptions } from './yaml-options.ts';
