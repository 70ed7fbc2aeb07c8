import { ConfigError } from './config-error.ts';
import { BadValue } from './kind.ts';
import { type Fault, faultOf, type Given, type Origin, type Read } from './origin.ts';
import { type Environment, readEnvironment } from './read-environment.ts';
import { readFile } from './read-file.ts';
import { readFlags } from './read-flags.ts';
import { camel, type Setting, type Settings, type Values } from './setting.ts';

export interface ResolveOptions<S extends Settings> {
  readonly settings: S;
  readonly args: readonly string[];
  readonly environment: Environment;
  /** Variables that begin with `FLEETSHIFT_` but belong to other programs. */
  readonly ignoredVariables?: readonly RegExp[];
  /** Reads the file named by the setting `config`. */
  readonly readText: (path: string) => string;
  /** Rules between settings. Called when each setting is valid by itself. */
  readonly check?: (values: Values<S>, refuse: (name: keyof S & string, why: string) => void) => void;
}

export interface Resolved<S extends Settings> {
  readonly values: Values<S>;
  readonly origins: Readonly<Record<keyof S & string, Origin>>;
}

/**
 * Flags override the environment, the environment overrides the file, the file overrides the defaults.
 *
 * DECISION: an invalid value stops the start even if a stronger source overrides it. Otherwise it would take effect on
 * the day that the override is removed.
 */
export function resolveSettings<S extends Settings>(options: ResolveOptions<S>): Resolved<S> {
  const { settings } = options;
  const flags = readFlags(settings, options.args);
  const environment = readEnvironment(settings, options.environment, options.ignoredVariables ?? []);
  const file = readConfigFile(options, [...flags.given, ...environment.given]);

  const faults = [...flags.faults, ...environment.faults, ...file.faults];
  const values: Record<string, unknown> = {};
  const origins: Record<string, Origin> = {};
  for (const name of Object.keys(settings)) {
    values[camel(name)] = undefined;
    origins[name] = { kind: 'default' };
  }
  // From the weakest to the strongest source, so that later values replace earlier ones.
  for (const given of [...defaultsOf(settings), ...file.given, ...environment.given, ...flags.given]) {
    const setting = settings[given.name];
    if (setting === undefined) continue;
    const parsed = parse(setting, given);
    if ('fault' in parsed) faults.push(parsed.fault);
    else values[camel(given.name)] = parsed.value;
    origins[given.name] = given.origin;
  }
  stopOn(faults);

  const resolved = { values, origins } as unknown as Resolved<S>;
  options.check?.(resolved.values, (name, why) => faults.push(faultOf(name, resolved.origins[name], why)));
  stopOn(faults);
  return resolved;
}

function defaultsOf(settings: Settings): Given[] {
  return Object.entries(settings).flatMap(([name, setting]) =>
    setting.default === undefined ? [] : [{ name, text: setting.default, origin: { kind: 'default' } }],
  );
}

function parse(setting: Setting, { name, text, origin }: Given): { value: unknown } | { fault: Fault } {
  try {
    return { value: setting.kind.parse(text) };
  } catch (error) {
    if (!(error instanceof BadValue)) throw error;
    const subject = setting.kind.secret ? 'the value' : JSON.stringify(text);
    return { fault: faultOf(name, origin, `${subject} ${error.message}`) };
  }
}

function readConfigFile<S extends Settings>(options: ResolveOptions<S>, given: readonly Given[]): Read {
  const chosen = given.find(({ name }) => name === 'config');
  if (chosen === undefined) return { given: [], faults: [] };
  try {
    return readFile(options.settings, chosen.text, options.readText(chosen.text));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { given: [], faults: [faultOf('config', chosen.origin, `cannot read the file: ${why}`)] };
  }
}

function stopOn(faults: readonly Fault[]): void {
  if (faults.length === 0) return;
  const count = faults.length === 1 ? 'a setting is wrong' : `${faults.length} settings are wrong`;
  throw new ConfigError('SETTINGS_INVALID', [count, ...faults.map(({ message }) => `  ${message}`)].join('\n'), {
    faults: faults.map(({ name, message }) => ({ path: `/${name}`, message })),
  });
}
