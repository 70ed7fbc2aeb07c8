import { KubeError } from '../kube-error.ts';

/** Reads a part of a document that others wrote; what has the wrong type is told by its place. */
export class Fields {
  readonly where: string;
  readonly #values: Readonly<Record<string, unknown>>;

  /** Nothing at all reads as a part without fields. */
  constructor(value: unknown, where: string) {
    if (value != null && (typeof value !== 'object' || Array.isArray(value))) throw wrong(where, 'is no object');
    this.where = where;
    this.#values = { ...value };
  }

  /** Empty text says as little as no text. */
  text(name: string): string | undefined {
    const value = this.#values[name] ?? '';
    if (typeof value !== 'string') throw wrong(`${this.where}: ${name}`, 'is no text');
    return value === '' ? undefined : value;
  }

  flag(name: string): boolean {
    const value = this.#values[name] ?? false;
    if (typeof value !== 'boolean') throw wrong(`${this.where}: ${name}`, 'is neither true nor false');
    return value;
  }

  texts(name: string): string[] {
    return this.#list(name).map((value) => {
      if (typeof value !== 'string') throw wrong(`${this.where}: ${name}`, 'holds something that is no text');
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
    if (!Array.isArray(value)) throw wrong(`${this.where}: ${name}`, 'is no list');
    return value;
  }
}

function wrong(where: string, what: string): KubeError {
  return new KubeError('CONFIG_INVALID', `${where} ${what}`);
}
