import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { growthRatio } from '#testing/cpu-ratio';
import { templateManifest } from '../domain/manifest/template/template-manifest.ts';
import { readTemplateText } from './read-template-text.ts';

const strategy = templateManifest({ readText: readTemplateText });
const parse = (template: string) => strategy.parse({ type: 'template', template }, '/manifest');
const faultsOf = (template: string) => {
  const parsed = parse(template);
  return parsed.kind === 'faulty' ? parsed.faults.map(({ path, message }) => `${path} ${message.split(': ')[0]}`) : [];
};

describe('templates in YAML', () => {
  for (const { why, text, want } of [
    { why: 'one document', text: 'a: 1\n', want: [{ a: 1 }] },
    {
      why: 'several, and none between two marks',
      text: 'a: 1\n---\n---\nb: [x, "y"]\n---\n',
      want: [{ a: 1 }, { b: ['x', 'y'] }],
    },
    { why: 'comments only', text: '# nothing\n', want: [] },
    { why: 'nothing', text: '', want: [] },
    { why: 'anchors', text: 'a: &x { k: 1 }\nb: *x\n', want: [{ a: { k: 1 }, b: { k: 1 } }] },
  ]) {
    it(`are read: ${why}`, () => {
      const read = readTemplateText(text, '/t');
      assert.ok(read.kind === 'parsed');
      assert.deepEqual(read.value.documents, want);
    });
  }

  for (const { why, text, want } of [
    { why: 'of what is no YAML', text: 'a: 1\nb: [1, 2\nc: }\n', want: '3' },
    { why: 'of a key that is there twice', text: 'a: 1\na: 2\n', want: '2' },
    { why: 'of a document that is no object', text: 'just text\n', want: undefined },
  ]) {
    it(`say line and column ${why}`, () => {
      const read = parse(text);
      assert.ok(read.kind === 'faulty');
      assert.equal(read.faults[0]?.path, '/manifest/template');
      if (want !== undefined) assert.match(read.faults[0].message, new RegExp(`^line ${want}, column \\d+: `));
    });
  }

  for (const { why, text, want } of [
    { why: 'plain', text: 'kind: Note\ntext: hi ${valeus.x}\n', want: 'line 2, column 12' },
    { why: 'in quotes', text: 'a:\n  - "hi ${valeus.x}"\n', want: 'line 2, column 11' },
    { why: 'in a block of lines', text: 'a: |\n  one\n  two ${valeus.x}\n', want: 'line 3, column 9' },
    { why: 'in a second document', text: 'a: 1\n---\nb: ${valeus.x}\n', want: 'line 3, column 6' },
    { why: 'behind a document that is none', text: '---\n---\nb: ${valeus.x}\n', want: 'line 3, column 6' },
    { why: 'at a key with a slash', text: 'a/b:\n  "c~d": ${valeus.x}\n', want: 'line 2, column 12' },
    { why: 'in the notation of JSON', text: '{"a": {"b": ["${valeus.x}"]}}', want: 'line 1, column 17' },
  ]) {
    it(`say where in the file an expression is wrong: ${why}`, () => {
      assert.deepEqual(faultsOf(text), [`/manifest/template ${want}`]);
    });
  }

  it('do not let a few lines of aliases stand for gigabytes', () => {
    const lines = ['a0: &a0 [x, x]', ...Array.from({ length: 30 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}]`)];
    assert.equal(parse(lines.join('\n')).kind, 'faulty');
  });

  for (const { why, line } of [
    { why: 'keys', line: (n: number) => `key${n}: value\n` },
    { why: 'faulty expressions', line: (n: number) => `key${n}: \${valeus.x}\n` },
    { why: 'faulty keys', line: () => 'a: 1\n' },
  ]) {
    it(`take work that grows with the text: ${why}`, () => {
      const text = (size: number): string => Array.from({ length: size }, (_, n) => line(n)).join('');
      const ratio = growthRatio((size) => void parse(text(size)), 1_000);
      assert.ok(ratio < 9, `four times the text took ${ratio} times the work`);
    });
  }
});
