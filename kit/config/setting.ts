import type { Kind } from './kind.ts';

const SOURCES = ['flag', 'environment', 'file'] as const;
export type Source = (typeof SOURCES)[number];

/** One setting, declared once: help, the reference page and every check are derived from it. */
export interface Setting<T = unknown> {
  readonly kind: Kind<T>;
  /** Written as an operator would write it. Without a default, a setting that is not given is `undefined`. */
  readonly default?: string;
  /** Shown in help when there is no default but a sensible fallback: `<data>/admin-token`. */
  readonly unset?: string;
  readonly sentence: string;
  readonly group: string;
  /** The sources it may come from; all by default. */
  readonly from?: readonly Source[];
  /** The variable, if it is not `FLEETSHIFT_` plus the name. */
  readonly variable?: string;
}

/** Keyed by the name that operators write: the flag is `--name`, the YAML key `name`, the variable `FLEETSHIFT_NAME`. */
export type Settings = Readonly<Record<string, Setting>>;

/** The values as code reads them: `tls-listen` is `values.tlsListen`. */
export type Values<S extends Settings> = { readonly [Name in keyof S & string as Camel<Name>]: ValueOf<S[Name]> };

type ValueOf<S> = S extends { readonly kind: Kind<infer T> }
  ? S extends { readonly default: string }
    ? T
    : T | undefined
  : never;

type Camel<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

export function camel(name: string): string {
  return name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

export const VARIABLE_PREFIX = 'FLEETSHIFT_';

export function variableOf(name: string, setting: Setting): string {
  return setting.variable ?? `${VARIABLE_PREFIX}${name.toUpperCase().replaceAll('-', '_')}`;
}

export function mayComeFrom(setting: Setting, source: Source): boolean {
  return (setting.from ?? SOURCES).includes(source);
}

/** Names that may come from this source: the candidates to suggest for a misspelt name. */
export function namesFrom(settings: Settings, source: Source): string[] {
  return Object.entries(settings).flatMap(([name, setting]) => (mayComeFrom(setting, source) ? [name] : []));
}
