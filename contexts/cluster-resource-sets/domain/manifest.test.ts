import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readGoYaml } from '../adapters/read-go-yaml.ts';
import { readManifest } from './manifest.ts';

const A = '{"kind": "A", "metadata": {"name": "a"}}';
const NAMESPACE = 'kind: Namespace\nmetadata: {name: n}\n';

describe('a manifest', () => {
  const cases: readonly { why: string; values: readonly string[]; want: readonly unknown[] | RegExp }[] = [
    { why: 'one YAML document', values: ['kind: A'], want: ['A'] },
    { why: 'a value shorter than 32 bytes is read', values: ['kind: B'], want: ['B'] },
    { why: 'several documents', values: ['kind: A\n---\nkind: B\n'], want: ['A', 'B'] },
    {
      why: 'empty documents, comments and separators in a row are passed over',
      values: ['---\n\n--- # x\n# y\n---\nkind: A\n---\n'],
      want: ['A'],
    },
    { why: 'lines of Windows', values: ['kind: A\r\n---\r\nkind: B\r\n'], want: ['A', 'B'] },
    { why: 'what stands behind a separator is no document', values: ['kind: A\n--- kind: B\n'], want: /separator/ },
    { why: 'a JSON list', values: [`[${A}, {"kind": "B"}]`], want: ['A', 'B'] },
    { why: 'a JSON list behind white space', values: [` \n\t${' '.repeat(40)}[${A}]`], want: ['A'] },
    { why: 'an empty list is no object and no fault', values: ['[]'], want: [] },
    { why: 'a list that does not end is a fault, not an empty one', values: [`[${A}`], want: /JSON list and is none/ },
    { why: 'a YAML list is none of objects', values: ['- kind: A'], want: /document 1 is not an object/ },
    { why: 'a list with something else in it', values: [`[${A}, 5]`], want: /item 2/ },
    { why: 'kind List is an object like any other', values: ['kind: List\nitems: [{kind: A}]'], want: ['List'] },
    { why: 'the last of two equal keys wins', values: ['kind: A\nkind: B\n'], want: ['B'] },
    { why: 'sorted within a value', values: [`${A}\n---\n${NAMESPACE}`], want: ['Namespace', 'A'] },
    { why: 'not sorted over values', values: [A, NAMESPACE], want: ['A', 'Namespace'] },
    {
      why: 'a fault says which value and document',
      values: [A, 'kind: A\n---\na: ['],
      want: /^value 2: document 2: not YAML/,
    },
    { why: 'one bad document is a bad whole', values: ['kind: A\n---\n5'], want: /document 2 is not an object/ },
  ];
  const encoder = new TextEncoder();
  for (const { why, values, want } of cases) {
    it(why, () => {
      const manifest = readManifest(
        values.map((value) => encoder.encode(value)),
        readGoYaml,
      );
      if (want instanceof RegExp) {
        assert.equal(manifest.kind, 'unreadable');
        assert.match(manifest.kind === 'unreadable' ? manifest.why : '', want);
      } else {
        assert.deepEqual(manifest.kind === 'objects' ? manifest.objects.map(({ kind }) => kind) : manifest, want);
      }
    });
  }

  it('what is not UTF-8 is a fault', () => {
    const manifest = readManifest([new Uint8Array([0xff, 0xfe, 0x00])], readGoYaml);
    assert.deepEqual(manifest, { kind: 'unreadable', why: 'it is not UTF-8' });
  });
});
