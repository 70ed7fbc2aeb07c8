import { type Context, createContext, runInContext } from 'node:vm';

/** Not of Node, but a way to time, chance or other threads all the same. */
const ALSO = ['Atomics', 'FinalizationRegistry', 'SharedArrayBuffer', 'WeakRef', 'WebAssembly', 'console'];

/** Takes everything out of a realm that is not the same at every run: whoever reaches for it is refused. */
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
