import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseAbout } from './backup-about.ts';

const ABOUT = { version: '0.1.0', createTime: '2026-11-19T00:00:00.000Z', engine: 'sqlite', rows: 1 };

describe('the header of a backup', () => {
  it('names levels as this release counts them', () => {
    const schema = [{ module: 'targets', number: 3 }];
    assert.deepEqual(parseAbout({ ...ABOUT, format: 2, schema }).schema, schema);
  });

  it('from right before the first release has the tables of the first migration', () => {
    const schema = [
      { module: 'outbox', number: 1 },
      { module: 'targets', number: 3 },
    ];
    const levels = parseAbout({ ...ABOUT, format: 1, schema }).schema;
    assert.deepEqual(levels, [
      { module: 'outbox', number: 1 },
      { module: 'targets', number: 1 },
    ]);
  });

  for (const { module, number, why } of [
    { module: 'targets', number: 2, why: 'a migration of that time is missing' },
    { module: 'outbox', number: 2, why: 'no version had this' },
  ]) {
    it(`is refused with ${module} at ${number}: ${why}`, () => {
      const about = { ...ABOUT, format: 1, schema: [{ module, number }] };
      assert.throws(() => parseAbout(about), { code: 'BACKUP_UNREADABLE' });
    });
  }

  it('of a later format is refused', () => {
    assert.throws(() => parseAbout({ ...ABOUT, format: 3, schema: [] }), { code: 'BACKUP_UNREADABLE' });
  });
});
