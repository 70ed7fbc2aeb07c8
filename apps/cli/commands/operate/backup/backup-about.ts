import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { BackupError } from './backup-error.ts';

/** The unencrypted header of a backup. */
const AboutSchema = Type.Object({
  format: Type.Literal(1),
  version: Type.String(),
  createTime: Type.String(),
  engine: Type.String(),
  schema: Type.Array(Type.Object({ module: Type.String(), number: Type.Integer({ minimum: 1 }) })),
  rows: Type.Integer({ minimum: 0 }),
});

export type BackupAbout = Static<typeof AboutSchema>;

export function parseAbout(about: unknown): BackupAbout {
  if (Value.Check(AboutSchema, about)) return about;
  throw new BackupError(
    'BACKUP_UNREADABLE',
    'this release does not know the format of this backup; use a newer release',
  );
}
