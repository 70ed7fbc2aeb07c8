import { formatDuration, parseDuration, parseIpNetwork, Secret } from '#kit/std';
import { BadValue, type Kind } from './kind.ts';

/** Any text that is not empty. */
export function text(placeholder = 'TEXT'): Kind<string> {
  return {
    placeholder,
    expects: 'a text of at least one character',
    parse(given) {
      if (given === '') throw new BadValue(`is not ${this.expects}`);
      return given;
    },
    print: (value) => value,
  };
}

/** An IP network or a single address: `10.0.0.0/8`, `fd00::/8`, `10.0.0.1`. */
export function network(): Kind<string> {
  return {
    placeholder: 'CIDR',
    expects: 'a network such as 10.0.0.0/8, or an address',
    parse(given) {
      if (parseIpNetwork(given) === undefined) throw new BadValue(`is not ${this.expects}`);
      return given;
    },
    print: (value) => value,
  };
}

/** A file or folder, kept as written. The code that opens it decides what it is relative to. */
export function path(placeholder = 'FILE'): Kind<string> {
  return { ...text(placeholder), expects: 'a path' };
}

export interface Bounds {
  readonly min: number;
  readonly max: number;
}

export function integer(bounds: Bounds): Kind<number> {
  return {
    placeholder: 'N',
    expects: `a whole number from ${bounds.min} to ${bounds.max}`,
    parse(given) {
      const value = /^[+-]?\d+$/.test(given) ? Number(given) : Number.NaN;
      return within(bounds, value, this.expects);
    },
    print: (value) => String(value),
  };
}

const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, false: false };

export function boolean(): Kind<boolean> {
  return {
    placeholder: '',
    expects: 'true or false',
    toggle: true,
    parse(given) {
      const value = Object.hasOwn(BOOLEANS, given) ? BOOLEANS[given] : undefined;
      if (value === undefined) throw new BadValue(`is not ${this.expects}`);
      return value;
    },
    print: (value) => String(value),
  };
}

/** Milliseconds, written with a unit: `30s`, `15m`, `1h30m`. */
export function duration(min: string, max: string): Kind<number> {
  const bounds = { min: parseDuration(min), max: parseDuration(max) };
  return {
    placeholder: 'DURATION',
    expects: `a duration from ${min} to ${max}, such as 30s or 1h30m`,
    parse(given) {
      return within(bounds, durationOrNaN(given), this.expects);
    },
    print: formatDuration,
  };
}

export function oneOf<const Name extends string>(names: readonly Name[]): Kind<Name> {
  return {
    placeholder: names.join('|'),
    expects: `one of ${names.join(', ')}`,
    parse(given) {
      const found = names.find((name) => name === given);
      if (found === undefined) throw new BadValue(`is not ${this.expects}`);
      return found;
    },
    print: (value) => value,
  };
}

export interface HostPort {
  readonly host: string;
  readonly port: number;
}

/** An address to listen on. IPv6 addresses are in brackets; port 0 lets the system choose one. */
export function hostPort(): Kind<HostPort> {
  return {
    placeholder: 'HOST:PORT',
    expects: 'a host and a port, such as 127.0.0.1:8700 or [::1]:8700',
    parse(given) {
      const match = /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+)):(\d{1,5})$/.exec(given);
      const host = match?.[1] ?? match?.[2];
      const port = Number(match?.[3]);
      if (host === undefined || port > 65_535) throw new BadValue(`is not ${this.expects}`);
      return { host, port };
    },
    print: printHostPort,
  };
}

export function printHostPort({ host, port }: HostPort): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

const BYTE_UNITS: Readonly<Record<string, number>> = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };

/** Bytes, written with a binary unit, so that there is no doubt whether K means 1000 or 1024. */
export function byteSize(min: string, max: string): Kind<number> {
  const bounds = { min: bytesOrNaN(min), max: bytesOrNaN(max) };
  return {
    placeholder: 'SIZE',
    expects: `a size from ${min} to ${max}, such as 512KiB or 4MiB`,
    parse(given) {
      return within(bounds, bytesOrNaN(given), this.expects);
    },
    print: printByteSize,
  };
}

export function url(protocols: readonly string[]): Kind<URL> {
  return {
    placeholder: 'URL',
    expects: `a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
    parse(given) {
      const value = URL.parse(given);
      if (value === null || !protocols.includes(value.protocol)) throw new BadValue(`is not ${this.expects}`);
      return value;
    },
    print: (value) => value.href,
  };
}

/** Comma-separated values; a flag may also be repeated, and YAML may also have a sequence. */
export function listOf<T>(item: Kind<T>): Kind<readonly T[]> {
  return {
    placeholder: `${item.placeholder},...`,
    expects: `a list, each ${item.expects}`,
    list: true,
    ...(item.secret === undefined ? {} : { secret: item.secret }),
    parse: (given) => (given.trim() === '' ? [] : given.split(',').map((each) => parseItem(item, each.trim()))),
    print: (values) => values.map((value) => item.print(value)).join(','),
  };
}

/** Also accepts the word `none`, for settings that can be switched off. */
export function orNone<T>(kind: Kind<T>): Kind<T | undefined> {
  return {
    ...kind,
    expects: `${kind.expects}, or none`,
    parse: (given) => (given === 'none' ? undefined : kind.parse(given)),
    print: (value) => (value === undefined ? 'none' : kind.print(value)),
  };
}

/** Wraps the value so that logs, messages and pages do not show it. */
export function secret<T>(kind: Kind<T>): Kind<Secret<T>> {
  return {
    placeholder: kind.placeholder,
    expects: kind.expects,
    secret: true,
    parse(given) {
      try {
        return new Secret(kind.parse(given));
      } catch {
        throw new BadValue(`is not ${kind.expects}`);
      }
    },
    print: () => '[redacted]',
  };
}

function within(bounds: Bounds, value: number, expects: string): number {
  if (!(value >= bounds.min && value <= bounds.max)) throw new BadValue(`is not ${expects}`);
  return value;
}

function durationOrNaN(given: string): number {
  try {
    return parseDuration(given);
  } catch {
    return Number.NaN;
  }
}

function bytesOrNaN(given: string): number {
  const match = /^(\d{1,15})(B|KiB|MiB|GiB)$/.exec(given);
  return Number(match?.[1]) * (BYTE_UNITS[match?.[2] ?? ''] ?? Number.NaN);
}

function printByteSize(bytes: number): string {
  const [unit, size] = Object.entries(BYTE_UNITS).findLast(([, each]) => bytes >= each && bytes % each === 0) ?? [
    'B',
    1,
  ];
  return `${bytes / size}${unit}`;
}

function parseItem<T>(item: Kind<T>, given: string): T {
  try {
    return item.parse(given);
  } catch (error) {
    if (!(error instanceof BadValue)) throw error;
    throw new BadValue(`has "${given}", which ${error.message}`);
  }
}
