import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { BackupError } from './backup-error.ts';

/** The unencrypted header of a backup. Only versions before the first release wrote format 1. */
const AboutSchema = Type.Object({
  format: Type.Union([Type.Literal(1), Type.Literal(2)]),
  version: Type.String(),
  createTime: Type.String(),
  engine: Type.String(),
  schema: Type.Array(Type.Object({ module: Type.String(), number: Type.Integer({ minimum: 1 }) })),
  rows: Type.Integer({ minimum: 0 }),
});

export type BackupAbout = Static<typeof AboutSchema>;

/**
 * The number of migrations of a module right before the first release, where there was more than one: together they made the
 * tables that its first migration makes now.
 */
const BEFORE_THE_FIRST_RELEASE: Readonly<Record<string, number>> = {
  enrolment: 2,
  governance: 6,
  identity: 2,
  instance: 2,
  orchestration: 8,
  targets: 3,
  workspaces: 3,
};

/** Names the levels as this release counts them. */
export function parseAbout(about: unknown): BackupAbout {
  if (Value.Check(AboutSchema, about)) return about.format === 1 ? { ...about, schema: levelsNow(about) } : about;
  throw new BackupError(
    'BACKUP_UNREADABLE',
    'this release does not know the format of this backup; use a newer release',
  );
}

function levelsNow({ schema }: BackupAbout): BackupAbout['schema'] {
  return schema.map(({ module, number }) => {
    const last = BEFORE_THE_FIRST_RELEASE[module] ?? 1;
    if (number === last) return { module, number: 1 };
    throw new BackupError(
      'BACKUP_UNREADABLE',
      `this backup is from a version before the first release whose ${module} tables are at ${number}, and only those ` +
        `at ${last} can be restored: start that platform once with the last version before v0.1.0, and take a new backup`,
      { details: { module, found: number, expected: last } },
    );
  });
}
