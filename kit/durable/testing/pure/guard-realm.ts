import { type Context, createContext, runInContext } from 'node:vm';

/** Standard JavaScript, but a source of time, randomness or other threads. */
const ALSO = ['Atomics', 'FinalizationRegistry', 'SharedArrayBuffer', 'WeakRef', 'WebAssembly', 'console'];

/** Removes everything from a realm that is not deterministic: access to it is refused. */
export function guardRealm(realm: Context, refuse: (what: string) => never): void {
  const guard = runInContext(GUARD, realm) as (names: readonly string[], refuse: (what: string) => never) => void;
  guard([...globalsOfNode(), ...ALSO], refuse);
}

function globalsOfNode(): string[] {
  const language = new Set(runInContext('Object.getOwnPropertyNames(globalThis)', createContext({})) as string[]);
  return Object.getOwnPropertyNames(globalThis).filter((name) => !language.has(name));
}

const GUARD = `(names, refuse) => {
  for (const name of names) {
    Object.defineProperty(globalThis, name, { configurable: false, get: () => refuse(name) });
  }
  Math.random = () => refuse('Math.random');
  globalThis.Date = new Proxy(Date, {
    apply: () => refuse('Date()'),
    construct: (target, args) => (args.length === 0 ? refuse('new Date()') : Reflect.construct(target, args)),
    get: (target, name) => (name === 'now' ? () => refuse('Date.now') : Reflect.get(target, name)),
  });
}`;
