import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { growthRatio } from '#testing/cpu-ratio';
import { parseYaml, readYaml } from './read-yaml.ts';
import { YAML_LIMITS } from './yaml-options.ts';

const lines = (count: number, line: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => line(n)).join('\n');
const firstError = (text: string): string | undefined => readYaml(text).documents[0].errors[0]?.code;

describe('YAML', () => {
  for (const { why, text, want } of [
    { why: 'nothing', text: '', want: null },
    {
      why: 'scalars of the core schema',
      text: '[1, "1", true, yes, ~, 0o17, 1.5]',
      want: [1, '1', true, 'yes', null, 15, 1.5],
    },
    { why: 'an alias', text: 'a: &x [1]\nb: *x\n', want: { a: [1], b: [1] } },
    { why: 'an anchor that is used again for something else', text: '[&x 1, *x, &x 2, *x]', want: [1, 1, 2, 2] },
    { why: 'a merge key as the key that it is', text: 'a: {"<<": 1, b: 2}', want: { a: { '<<': 1, b: 2 } } },
    {
      why: 'the core schema, whatever a directive asks for',
      text: '%YAML 1.1\n---\n[yes, 2001-01-01]',
      want: ['yes', '2001-01-01'],
    },
    {
      why: 'a key that is the name of a prototype',
      text: '__proto__: 1',
      want: JSON.parse('{"__proto__": 1}') as unknown,
    },
  ]) {
    it(`is read: ${why}`, () => assert.deepEqual(parseYaml(text), want));
  }

  for (const { why, text, code, line } of [
    { why: 'what is none', text: 'a: [1', code: 'NOT_YAML', line: 1 },
    { why: 'a key that is there twice', text: 'a: 1\nb: 2\na: 3\n', code: 'NOT_YAML', line: 3 },
    { why: 'keys that are the same text', text: '1: a\n"1": b\n', code: 'NOT_YAML', line: 2 },
    { why: 'a key that is the alias of one before it', text: '&x a: 1\n*x : 2\n', code: 'NOT_YAML', line: 2 },
    { why: 'a key that is a list', text: '? [a]\n: 1\n', code: 'NOT_YAML', line: 1 },
    { why: 'an alias of nothing', text: '- *x\n- &x 1\n', code: 'NOT_YAML', line: 1 },
    { why: 'an alias of what it is in', text: 'a: &x [1, *x]\n', code: 'NOT_YAML', line: 1 },
    { why: 'a second document', text: 'a: 1\n---\nb: 2\n', code: 'NOT_YAML', line: 2 },
    { why: 'many tokens', text: lines(YAML_LIMITS.tokens, () => '- a'), code: 'YAML_TOO_LARGE' },
    { why: 'many levels of brackets', text: '['.repeat(1_000_000), code: 'YAML_TOO_LARGE', line: 1 },
    { why: 'many levels of lists', text: '- '.repeat(100_000), code: 'YAML_TOO_LARGE', line: 1 },
    { why: 'many levels of maps', text: '? '.repeat(100_000), code: 'YAML_TOO_LARGE', line: 1 },
    { why: 'many aliases', text: `- &x 1\n${lines(YAML_LIMITS.references, () => '- *x')}`, code: 'YAML_TOO_LARGE' },
    { why: 'many anchors', text: lines(YAML_LIMITS.references + 1, (n) => `- &x${n} 1`), code: 'YAML_TOO_LARGE' },
    {
      why: 'a few lines of aliases that stand for gigabytes',
      text: `a: &a0 [x, x]\n${lines(60, (n) => `b${n}: &a${n + 1} [*a${n}, *a${n}]`)}`,
      code: 'YAML_TOO_LARGE',
    },
    {
      why: 'a long text that is repeated',
      text: `- &x ${'a'.repeat(100_000)}\n${lines(20, () => '- *x')}`,
      code: 'YAML_TOO_LARGE',
    },
  ]) {
    it(`is refused, with its place: ${why}`, () => {
      assert.throws(
        () => parseYaml(text),
        (error: { code: string; details: { line: number } }) => {
          assert.equal(error.code, code);
          if (line !== undefined) assert.equal(error.details.line, line);
          return true;
        },
      );
    });
  }

  it('may be nested as deep as the limit', () => {
    const { depth } = YAML_LIMITS;
    assert.equal(firstError(`${'['.repeat(depth)}${']'.repeat(depth)}`), undefined);
    assert.equal(firstError(`${'['.repeat(depth + 3)}${']'.repeat(depth + 3)}`), 'RESOURCE_EXHAUSTION');
  });

  it('with what is misplaced all over is told of the first alone', () => {
    const text = `a: [b]\n${']'.repeat(1_000)}`;
    const [{ errors }] = readYaml(text).documents;
    assert.deepEqual(
      errors.map(({ code, pos: [offset] }) => [code, offset]),
      [['UNEXPECTED_TOKEN', 7]],
    );
    assert.throws(() => parseYaml(text), { code: 'NOT_YAML', details: { line: 2, column: 1 } });
  });

  for (const { why, text } of [
    { why: 'keys', text: (n: number) => lines(n, (key) => `key${key}: value`) },
    { why: 'keys in braces', text: (n: number) => `{${lines(n, (key) => `key${key}: 1,`)}}` },
    { why: 'equal keys', text: (n: number) => lines(n, () => 'a: 1') },
    { why: 'documents', text: (n: number) => '---\n'.repeat(n) },
    { why: 'empty lines', text: (n: number) => '\n'.repeat(n) },
    { why: 'comments', text: (n: number) => '# a\n'.repeat(n) },
    { why: 'lines of one text', text: (n: number) => `a: ${'b\n '.repeat(n)}` },
    { why: 'lines of a block', text: (n: number) => `a: >\n${' b\n\n'.repeat(n)}` },
    { why: 'lines in quotes', text: (n: number) => `"${'b\n '.repeat(n)}"` },
    { why: 'escapes', text: (n: number) => `"${'\\n'.repeat(n)}"` },
    { why: 'unknown tags', text: (n: number) => '- !t a\n'.repeat(n) },
    { why: 'brackets that end', text: (n: number) => '[],'.repeat(n) },
    { why: 'faults', text: (n: number) => 'a: b: c\n'.repeat(n) },
  ]) {
    it(`takes work that grows with the text: ${why}`, () => {
      const ratio = growthRatio((n) => void readYaml(text(n)), 2_000);
      assert.ok(ratio < 9, `four times the text took ${ratio} times the work`);
    });
  }
});
