import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cropped, paintFor, widthOf } from './paint.ts';

const painted = '\u001b[31mred\u001b[0m';

for (const { why, io, want } of [
  { why: 'a terminal', io: { outIsTerminal: true, environment: {} }, want: painted },
  { why: 'a file', io: { outIsTerminal: false, environment: {} }, want: 'red' },
  { why: 'somebody who wants none', io: { outIsTerminal: true, environment: { NO_COLOR: '1' } }, want: 'red' },
  { why: 'a terminal without', io: { outIsTerminal: true, environment: { TERM: 'dumb' } }, want: 'red' },
]) {
  test(`colours: ${why}`, () => assert.equal(paintFor(io)('red', 'red'), want));
}

test('colours take no room, and a text that is cut keeps them', () => {
  assert.equal(widthOf(`a${painted}b`), 5);
  assert.equal(cropped(`a${painted}b`, 5), `a${painted}b`);
  assert.equal(cropped(`a${painted}b`, 3), 'a\u001b[31mr\u001b[0m…');
});
