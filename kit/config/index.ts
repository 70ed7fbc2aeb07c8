export { suggestion } from './closest.ts';
export { COMMON_SETTINGS } from './common-settings.ts';
export { ConfigError } from './config-error.ts';
export { type HelpOptions, helpText } from './help-text.ts';
export { BadValue, type Kind } from './kind.ts';
export {
  type Bounds,
  boolean,
  byteSize,
  duration,
  type HostPort,
  hostPort,
  integer,
  listOf,
  network,
  oneOf,
  orNone,
  path,
  printHostPort,
  secret,
  text,
  url,
} from './kinds.ts';
export { type Origin } from './origin.ts';
export { printSettings } from './print-settings.ts';
export type { Environment } from './read-environment.ts';
export { type Resolved, type ResolveOptions, resolveSettings } from './resolve-settings.ts';
export type { Setting, Settings, Source, Values } from './setting.ts';
export { type SettingsPageOptions, settingsPage } from './settings-page.ts';
