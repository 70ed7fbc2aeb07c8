import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countProse, markdownProse, PROSE_KINDS, proseOf } from './prose.ts';
import { readProse } from './read-prose.ts';

/** For each thousand words. */
const LIMITS = { vague: 0.05, pronouns: 0, openings: 0.3 } as const;

describe('the words of the tree', () => {
  for (const kind of PROSE_KINDS) {
    it(`are plain in ${kind}`, async () => {
      const counted = countProse((await readProse(kind)).flatMap(({ texts }) => texts));
      const over = (['vague', 'pronouns', 'openings'] as const).flatMap((what) => {
        const limit = Math.floor((LIMITS[what] * counted.words) / 1_000);
        return counted[what] <= limit ? [] : [`${what}: ${counted[what]} in ${counted.words} words, at most ${limit}`];
      });
      assert.deepEqual(over, [], '`node scripts/list-prose.ts PATH` lists them');
    });
  }

  it('are counted where they are', () => {
    const source = [
      "const url = 'https://example.org/ // no comment at all';",
      'const pattern = /[/*]/; // What somebody sees',
      '// goes on here.',
      '/** He asks anew. */',
      'log(`${a ? "x" : `y`} nobody was told`);',
    ].join('\n');
    const { comments, strings } = proseOf(source);
    assert.deepEqual(
      comments.map((each) => each.trim()),
      ['What somebody sees goes on here.', 'He asks anew.'],
    );
    assert.deepEqual(strings, ['https://example.org/ // no comment at all', '${a ? "x" : `y`} nobody was told']);
    assert.deepEqual(countProse(comments), { words: 9, vague: 2, pronouns: 1, openings: 1 });
    assert.equal(countProse(strings).vague, 1);
  });

  for (const [text, openings] of [
    ['That is why. Those who wait are told.', 2],
    ['What now? That target is gone.', 0],
    ['Who may: those who ask.', 1],
  ] as const) {
    it(`has ${openings} bare openings in "${text}"`, () => assert.equal(countProse([text]).openings, openings));
  }

  it('leaves out what Markdown quotes', () => {
    const text = '# Whoever\n\n```\nnobody\n```\n| somebody | `anybody` |\n- What is it';
    const { vague, openings } = countProse(markdownProse(text));
    assert.deepEqual([vague, openings], [2, 1]);
  });
});
