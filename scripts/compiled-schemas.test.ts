import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type TSchema, Type } from 'typebox';
import { Code } from 'typebox/compile';
import { Value } from 'typebox/value';
import { KINDS } from '../apps/cli/kinds/kinds.ts';
import { checkOf, compiledSchemasCode } from './compiled-schemas.ts';

type Checks = Readonly<Record<string, (value: unknown) => boolean>>;

describe('the compiled schemas of the package', () => {
  it('judge as the schemas do', async () => {
    const { COMPILED_SCHEMAS: checks } = (await run(await compiledSchemasCode())) as { COMPILED_SCHEMAS: Checks };
    for (const { name, schema } of KINDS) {
      const loaded = await schema();
      const judged = samplesOf(loaded).map((sample) => {
        const want = Value.Check(loaded, sample);
        assert.equal(checks[name]?.(sample), want, `${name}: ${JSON.stringify(sample)}`);
        return want;
      });
      assert.ok(judged.includes(true) && judged.includes(false), `${name}: samples of both`);
    }
  });

  it('keep patterns and formats', async () => {
    const schema = Type.Object({
      name: Type.String({ pattern: '^[a-z/]+$' }),
      at: Type.String({ format: 'date-time' }),
    });
    const { Check: check } = (await run(checkOf(Code(schema)))) as unknown as { Check: (value: unknown) => boolean };
    const at = '2026-11-19T21:14:25Z';
    assert.deepEqual(
      [
        { name: 'a/b', at },
        { name: 'A', at },
        { name: 'a', at: 'today' },
      ].map((value) => check(value)),
      [true, false, false],
    );
  });

  it('refuse to leave a part of a check behind', () => {
    const schema = Type.Refine(Type.String(), (text) => text === 'a');
    assert.throws(() => checkOf(Code(schema)), /neither a pattern nor a format/);
  });
});

async function run(code: string): Promise<object> {
  const resolved = code.replaceAll(
    /from ['"](typebox\/[a-z]+)['"]/g,
    (_, name: string) => `from "${import.meta.resolve(name)}"`,
  );
  return (await import(`data:text/javascript,${encodeURIComponent(resolved)}`)) as object;
}

/** A valid value, and it with each of its fields missing and of another type. */
function samplesOf(schema: TSchema): readonly unknown[] {
  const valid = sampleOf(schema) as Readonly<Record<string, unknown>>;
  const spoiled = Object.keys(valid).flatMap((field) => {
    const { [field]: _, ...rest } = valid;
    return [rest, { ...valid, [field]: { not: 'valid' } }];
  });
  return [valid, ...spoiled, {}, [], null, 'a'];
}

/** Patterns of our schemas accept one of these. */
const TEXTS = [
  'a',
  '2026-11-19T21:14:25Z',
  '2026-11-19',
  '019aa1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b',
  '1s',
  '1h',
  'workspaces/a',
  'abcdefghijklmnop',
  'a/b',
  'a.b:c',
  'https://a.example',
  'A',
  '1',
  'sha256:0',
];

interface Node extends TSchema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Node[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly minItems?: number;
  readonly minimum?: number;
}

function sampleOf(raw: TSchema): unknown {
  const schema = raw as Node;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf !== undefined) return schema.anyOf.map(sampleOf).find((each) => Value.Check(schema, each));
  const { type = 'any' } = schema;
  switch (type) {
    case 'object': {
      const entries = Object.entries(schema.properties ?? {}).map(([name, each]) => [name, sampleOf(each)] as const);
      return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
    }
    case 'array':
      return Array.from({ length: schema.minItems ?? 1 }, () => sampleOf(schema.items ?? Type.Unknown()));
    case 'string':
      return TEXTS.find((text) => Value.Check(schema, text));
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    default:
      return 'a';
  }
}
