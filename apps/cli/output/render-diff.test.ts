import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Colour, plain } from './paint.ts';
import { renderDiff, withinReason } from './render-diff.ts';

const rows = [
  {
    why: 'a field that is another value',
    fields: [{ path: '/spec/replicas', kind: 'changed', before: 2, after: 3 }],
    want: ['  ~ /spec/replicas: 2 -> 3'],
  },
  {
    why: 'what was put in and what was taken out',
    fields: [
      { path: '/spec/a', kind: 'added', after: 'x' },
      { path: '/spec/b', kind: 'removed', before: true },
    ],
    want: ['  + /spec/a: "x"', '  - /spec/b: true'],
  },
  {
    why: 'more than a line',
    fields: [{ path: '/spec', kind: 'changed', before: { a: 1, b: [2] }, after: 'gone' }],
    want: ['  - /spec:', '  -   a: 1', '  -   b:', '  -     - 2', '  + /spec: "gone"'],
  },
  {
    why: 'a secret, of which it can be seen that it changed',
    fields: [{ path: '/data/key', kind: 'changed', before: '[redacted]', after: '[redacted]' }],
    want: ['  ~ /data/key: "[redacted]" -> "[redacted]"'],
  },
  {
    why: 'what a terminal would obey',
    fields: [{ path: '/a', kind: 'added', after: '\u001b[2J' }],
    want: ['  + /a: "\\u001b[2J"'],
  },
] as const;

for (const { why, fields, want } of rows) {
  test(`a diff: ${why}`, () => {
    const lines = renderDiff([{ document: 'apps/Deployment/shop/web', kind: 'changed', fields }], plain);
    assert.deepEqual(lines, ['~ apps/Deployment/shop/web', ...want]);
  });
}

test('a document that is new is shown whole', () => {
  const whole = { path: '', kind: 'added', after: { kind: 'ConfigMap', data: { a: 'b' } } } as const;
  assert.deepEqual(renderDiff([{ document: 'ConfigMap/x', kind: 'added', fields: [whole] }], plain), [
    '+ ConfigMap/x',
    '  + kind: ConfigMap',
    '  + data:',
    '  +   a: b',
  ]);
});

test('many changes are the names of their objects, unless all are asked for', () => {
  const fields = Array.from({ length: 70 }, (_, index) => ({ path: `/a/${index}`, kind: 'added', after: 1 }) as const);
  const documents = [
    { document: 'ConfigMap/x', kind: 'changed', fields },
    { document: 'ConfigMap/y', kind: 'removed', fields: [{ path: '', kind: 'removed', before: { a: 1 } }] },
  ] as const;
  const render = (isBrief: boolean) => renderDiff(documents, plain, isBrief);
  assert.deepEqual(withinReason(render, false), [
    '~ ConfigMap/x: 70 fields',
    '- ConfigMap/y',
    '',
    '73 lines of details are left out; --details shows them',
  ]);
  assert.equal(withinReason(render, true).length, 73);
});

test('colours tell what comes from what goes', () => {
  const paint = (colour: Colour, text: string): string => `<${colour}>${text}`;
  const fields = [{ path: '/a', kind: 'removed', before: 1 }] as const;
  assert.deepEqual(renderDiff([{ document: 'x', kind: 'changed', fields }], paint), ['<yellow>~ x', '  <red>- /a: 1']);
});
