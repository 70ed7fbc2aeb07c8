import { KubeError } from '../kube-error.ts';

/** Reads a part of an untrusted document; errors name the place of a value with the wrong type. */
export class Fields {
  readonly where: string;
  readonly #values: Readonly<Record<string, unknown>>;

  /** Null and undefined count as an object without fields. */
  constructor(value: unknown, where: string) {
    if (value != null && (typeof value !== 'object' || Array.isArray(value))) throw wrong(where, 'is not an object');
    this.where = where;
    this.#values = { ...value };
  }

  /** Empty text counts as missing. */
  text(name: string): string | undefined {
    const value = this.#values[name] ?? '';
    if (typeof value !== 'string') throw wrong(`${this.where}: ${name}`, 'is not a string');
    return value === '' ? undefined : value;
  }

  flag(name: string): boolean {
    const value = this.#values[name] ?? false;
    if (typeof value !== 'boolean') throw wrong(`${this.where}: ${name}`, 'is neither true nor false');
    return value;
  }

  texts(name: string): string[] {
    return this.#list(name).map((value) => {
      if (typeof value !== 'string') throw wrong(`${this.where}: ${name}`, 'holds a value that is not a string');
      return value;
    });
  }

  parts(name: string): Fields[] {
    return this.#list(name).map((value, index) => new Fields(value, `${this.where}: ${name}[${index}]`));
  }

  part(name: string): Fields | undefined {
    return this.#values[name] == null ? undefined : new Fields(this.#values[name], `${this.where}: ${name}`);
  }

  value(name: string): unknown {
    return this.#values[name];
  }

  names(): string[] {
    return Object.keys(this.#values);
  }

  #list(name: string): unknown[] {
    const value = this.#values[name] ?? [];
    if (!Array.isArray(value)) throw wrong(`${this.where}: ${name}`, 'is not a list');
    return value;
  }
}

function wrong(where: string, what: string): KubeError {
  return new KubeError('CONFIG_INVALID', `${where} ${what}`);
}
