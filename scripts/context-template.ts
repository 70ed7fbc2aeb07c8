/** The files of a new context, each a small example in the house style: `{ path: content }`. */
export function contextFiles(name: string): Readonly<Record<string, string>> {
  const pascal = name.replaceAll(/(?:^|-)([a-z0-9])/g, (_match, first: string) => first.toUpperCase());
  const constant = name.replaceAll('-', '_').toUpperCase();
  const names = { name, pascal, constant, camel: pascal.charAt(0).toLowerCase() + pascal.slice(1) };
  return {
    'README.md': readme(names),
    'index.ts': facade(names),
    [`domain/${name}-error.ts`]: errors(names),
    [`domain/${name}-error.test.ts`]: driftTest(names),
    'application/ports.ts': ports(names),
    'adapters/index.ts': adapters(),
    [`testing/${name}-reader-contract.ts`]: contract(names),
    [`testing/memory-${name}-reader.ts`]: fake(names),
    [`testing/memory-${name}-reader.test.ts`]: fakeTest(names),
  };
}

interface Names {
  readonly name: string;
  readonly pascal: string;
  readonly constant: string;
  readonly camel: string;
}

const readme = ({ name, pascal, constant }: Names): string => `# ${name}

What this context knows, in one paragraph.

## Language

| word | meaning |
| ---- | ------- |
|      |         |

## Invariants

1. What always holds, whoever calls.

## Ports

| port             | what it asks of the world |
| ---------------- | ------------------------- |
| \`${pascal}Reader\` | what there is under a name |

## Errors

| code | category | retry | when |
| ---- | -------- | ----- | ---- |
| \`${constant}_NOT_FOUND\` | not-found | never | a name leads to nothing |
`;

const facade = ({
  name,
  pascal,
  constant,
}: Names): string => `export type { ${pascal}Reader } from './application/ports.ts';
export { ${constant}_ERRORS, ${pascal}Error } from './domain/${name}-error.ts';
`;

const errors = ({ pascal, constant }: Names): string => `import { type Catalogue, FleetError } from '#kit/std';

export const ${constant}_ERRORS = {
  ${constant}_NOT_FOUND: { category: 'not-found', retry: 'never' },
} as const satisfies Catalogue;

export type ${pascal}ErrorCode = keyof typeof ${constant}_ERRORS;

export class ${pascal}Error extends FleetError<${pascal}ErrorCode> {
  get entry() {
    return ${constant}_ERRORS[this.code];
  }
}
`;

const driftTest = ({ name, constant }: Names): string => `import { it } from 'node:test';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { ${constant}_ERRORS } from './${name}-error.ts';

it('lists in the README the errors that it throws', () => {
  catalogueMatchesReadme({ catalogue: ${constant}_ERRORS, readme: new URL('../README.md', import.meta.url) });
});
`;

const ports = ({
  pascal,
}: Names): string => `/** What the use cases ask of the world, in this context's words. One to three methods; the signal comes last. */
export interface ${pascal}Reader {
  /** \`undefined\` when there is no entry of this name; throws only when that cannot be determined. */
  read(name: string, signal: AbortSignal): Promise<string | undefined>;
}
`;

const adapters =
  (): string => `// The door for wiring: each adapter by name, technology first, as in \`export { SqliteThingStore } from ...\`.
export {};
`;

const contract = ({ pascal, camel }: Names): string => `import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ${pascal}Reader } from '../application/ports.ts';

/** The contract of every adapter and the fake. \`make\` returns a reader of exactly these entries. */
export function ${camel}ReaderContract(
  name: string,
  make: (entries: Readonly<Record<string, string>>) => Promise<${pascal}Reader>,
): void {
  describe(\`${pascal}Reader: \${name}\`, () => {
    it('reads what is there', async (test) => {
      const reader = await make({ one: 'first' });
      assert.equal(await reader.read('one', test.signal), 'first');
    });

    it('answers that there is nothing', async (test) => {
      const reader = await make({});
      assert.equal(await reader.read('one', test.signal), undefined);
    });

    it('does not begin when it was told to stop', async () => {
      const reader = await make({ one: 'first' });
      await assert.rejects(reader.read('one', AbortSignal.abort()), { name: 'AbortError' });
    });
  });
}
`;

const fake = ({ pascal }: Names): string => `import type { ${pascal}Reader } from '../application/ports.ts';

export class Memory${pascal}Reader implements ${pascal}Reader {
  readonly #entries: ReadonlyMap<string, string>;

  constructor(entries: Readonly<Record<string, string>>) {
    this.#entries = new Map(Object.entries(entries));
  }

  async read(name: string, signal: AbortSignal): Promise<string | undefined> {
    signal.throwIfAborted();
    return this.#entries.get(name);
  }
}
`;

const fakeTest = ({
  name,
  pascal,
  camel,
}: Names): string => `import { Memory${pascal}Reader } from './memory-${name}-reader.ts';
import { ${camel}ReaderContract } from './${name}-reader-contract.ts';

${camel}ReaderContract('memory', async (entries) => new Memory${pascal}Reader(entries));
`;
