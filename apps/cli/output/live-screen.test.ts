import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LiveScreen } from './live-screen.ts';

/** The resulting screen of a terminal, for the escape sequences in use. */
function shown(written: string, columns: number): string[] {
  const lines: string[] = [];
  let row = 0;
  for (const part of written.replaceAll('\u001b[?25l', '').replaceAll('\u001b[?25h', '').split('\u001b[')) {
    const [, up, rest = part] = /^(\d+)A\r([^]*)$/.exec(part) ?? [];
    row -= Number(up ?? 0);
    if (rest.startsWith('J')) lines.length = row;
    for (const line of rest.replace(/^J/, '').split('\n').slice(0, -1)) {
      assert.ok(line.length < columns, 'a line that is too long would take two');
      lines[row++] = line;
    }
  }
  return lines;
}

function screen(size: { columns: number; rows: number }) {
  let written = '';
  const live = new LiveScreen({ out: (text) => void (written += text), size: () => size });
  return { live, shown: () => shown(written, size.columns), written: () => written };
}

test('each picture takes the place of the one before', () => {
  const { live, shown: now } = screen({ columns: 40, rows: 10 });
  live.draw(['a', 'b', 'c']);
  live.draw(['d', 'e']);
  assert.deepEqual(now(), ['d', 'e']);
  live.draw(['f', 'g', 'h', 'i']);
  assert.deepEqual(now(), ['f', 'g', 'h', 'i']);
});

test('what does not fit is left out, and said to be', () => {
  const { live, shown: now } = screen({ columns: 10, rows: 4 });
  live.draw(['a line that is long', 'b', 'c', 'd', 'e']);
  live.draw(['a line that is long', 'b', 'c', 'd', 'e']);
  assert.deepEqual(now(), ['a line t…', 'b', '… 3 more']);
});

test('the cursor is back in the end, and nothing is said where nothing was drawn', () => {
  const { live, written } = screen({ columns: 40, rows: 10 });
  live.end();
  assert.equal(written(), '');
  live.draw(['a']);
  live.end();
  assert.ok(written().endsWith('\u001b[?25h'));
});

test('a picture can be wiped, for something else to be said in its place', () => {
  const { live, shown: now, written } = screen({ columns: 40, rows: 10 });
  live.draw(['a', 'b']);
  live.draw([]);
  live.end();
  assert.deepEqual(now(), []);
  assert.ok(written().endsWith('\u001b[?25h'));
});
