import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kindNamed } from '../kinds/kinds.ts';
import { ChangeRenderer } from './render-changes.ts';

const usage = (workspace: string, targets: number) => ({
  day: '2030-01-01',
  workspace,
  targets,
  deliveries: 0,
  indexRows: 0,
  tunnelBytes: 0,
});
const kind = kindNamed('usage');

test('rows come under the headings of the first, and keep their columns', () => {
  const renderer = new ChangeRenderer(kind, 'table');
  const first = renderer.render([{ type: 'ADDED', item: usage('a-long-name', 1) }]);
  const next = renderer.render([{ type: 'MODIFIED', item: usage('b', 2) }]);
  assert.equal(
    first + next,
    `EVENT     DAY         WORKSPACE    TARGETS  DELIVERIES  INDEX ROWS  TUNNEL BYTES
ADDED     2030-01-01  a-long-name  1        0           0           0
MODIFIED  2030-01-01  b            2        0           0           0
`,
  );
});

test('for programs each change is a document', () => {
  const change = { type: 'REMOVED', item: usage('b', 2) } as const;
  const line = new ChangeRenderer(kind, 'json').render([change]);
  assert.deepEqual(JSON.parse(line), { type: 'REMOVED', object: change.item });
  assert.equal(line.indexOf('\n'), line.length - 1);
  assert.match(new ChangeRenderer(kind, 'yaml').render([change]), /^---\ntype: REMOVED\nobject:\n {2}day: /);
});
