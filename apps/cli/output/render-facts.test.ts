import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderFacts } from './render-facts.ts';

test('every field has its line, and what is not plain stands below', () => {
  const resource = {
    name: 'web',
    displayName: 'The \u001b[31mweb',
    labels: { env: 'prod', tier: 'a' },
    properties: {},
    createTime: '2030-01-01T00:00:00.000Z',
    disabled: false,
  };
  assert.equal(
    renderFacts(resource, Date.parse('2030-01-01T00:00:05Z')),
    `Name:          web
Display Name:  The  [31mweb
Labels:        env: prod
               tier: a
Properties:    none
Create Time:   2030-01-01T00:00:00Z (5s ago)
Disabled:      false
`,
  );
});
