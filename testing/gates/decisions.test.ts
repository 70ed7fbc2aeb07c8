import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { tableUnder, textOf } from '#testing/documents';
import { findFiles } from '../../scripts/repository.ts';

const FOLDER = 'docs/adr/';
/** A superseded decision keeps its number, in a folder of its own. */
const PAGES = (await findFiles(`${FOLDER}[0-9]*.md`, `${FOLDER}superseded/[0-9]*.md`)).map((path) =>
  path.slice(FOLDER.length),
);

describe('decisions', () => {
  it('are numbered without a gap', () => {
    const numbers = PAGES.map((path) => Number(/(\d{4})-[a-z0-9-]+\.md$/.exec(path)?.[1]));
    assert.deepEqual(
      numbers.toSorted((one, other) => one - other),
      numbers.map((_, index) => index),
    );
  });

  it('are listed, each with its title', () => {
    const rows = tableUnder(`${FOLDER}README.md`, '# Decisions').map(([link, title]) => `${link} ${title}`);
    const wanted = PAGES.map((path) => {
      const [, number = '', title = ''] = /^# (?:ADR )?(\d{4})[.:]? (.+)$/m.exec(textOf(`${FOLDER}${path}`)) ?? [];
      return `[${number}](${path}) ${title}`;
    });
    assert.deepEqual(rows.toSorted(), wanted.toSorted());
  });
});
