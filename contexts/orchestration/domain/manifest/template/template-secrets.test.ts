import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Document } from '#protocol/delivery';
import { generateTemplate, renderedDocuments, valueOfText } from '../testing/a-template.ts';

describe('secrets', () => {
  const values = {
    password: { $secret: 'hunter2' },
    db: { user: 'u', password: { $secret: 'hunter3' } },
    all: { $secret: { a: 'hunter4' } },
    flag: { $secret: true },
    many: { $secret: ['hunter5'] },
  };
  for (const { why, text, want } of [
    { why: 'one alone stays marked', text: '${values.password}', want: { $secret: 'hunter2' } },
    {
      why: 'text around it is secret with it',
      text: 'pg://u:${values.password}@h',
      want: { $secret: 'pg://u:hunter2@h' },
    },
    { why: 'so is what a function makes of it', text: '${base64(values.password)}', want: { $secret: 'aHVudGVyMg==' } },
    { why: 'and a number that says something of it', text: '${length(values.password)}', want: { $secret: 7 } },
    { why: 'and a choice by it', text: '${values.password == "hunter2" ? "yes" : "no"}', want: { $secret: 'yes' } },
    { why: 'an object with one inside stays open around it', text: '${values.db}', want: values.db },
    { why: 'also when merged', text: '${merge(values.db, values.db)}', want: values.db },
    {
      why: 'as text it is secret as a whole',
      text: '${json(values.db)}',
      want: { $secret: '{"password":"hunter3","user":"u"}' },
    },
    { why: 'what is inside of a secret is one', text: '${values.all.a}', want: { $secret: 'hunter4' } },
    { why: 'what stands beside one is not', text: '${values.db.user}', want: 'u' },
    { why: 'whether there is one is not', text: '${has(values.password)}', want: true },
  ]) {
    test(why, () => assert.deepEqual(valueOfText(text, values), want));
  }

  test('a place that is marked in the template is secret whatever stands there', () => {
    assert.deepEqual(renderedDocuments({ documents: [{ a: { $secret: 'k-${target.name}' } }] }), [
      { a: { $secret: 'k-edge-1' } },
    ]);
  });

  for (const { why, document } of [
    { why: 'whether there is a document', document: { $when: '${values.password == "x"}' } },
    { why: 'how many documents there are', document: { $each: { i: '${split(values.password, "")}' } } },
    { why: 'whether there is a document, by a marked boolean', document: { $when: '${values.flag}' } },
    { why: 'how many documents there are, by a marked list', document: { $each: { i: '${values.many}' } } },
    { why: 'the name of a field', document: { '${values.password}': 1 } },
    { why: 'the kind of a document', document: { kind: '${values.password}' } },
    { why: 'the name of a document', document: { metadata: { name: 'a-${values.password}' } } },
    {
      why: 'the message of a failure',
      document: { a: '${number(values.password)}', b: '${values.db[values.password]}', c: '${1 + values.password}' },
    },
  ] satisfies { why: string; document: Document }[]) {
    test(`nowhere to be seen: ${why}`, () => {
      const result = generateTemplate({ documents: [document], values });
      assert.equal(result.kind, 'failed');
      assert.doesNotMatch(JSON.stringify(result), /hunter/);
    });
  }
});
