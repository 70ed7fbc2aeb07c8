import type { Brand, FieldFault } from '#kit/std';

/** The kinds of subjects that a right can be granted to. */
export const SUBJECT_KINDS = ['user', 'group', 'serviceAccount'] as const;
export type SubjectKind = (typeof SUBJECT_KINDS)[number];

export interface Subject {
  readonly kind: SubjectKind;
  /** The id from authentication: `alice@example.com`, `oidc:ops`, the uid of a service account. */
  readonly id: string;
}

/** `user:alice@example.com`. Unique per subject, since kinds contain no colon. */
export type SubjectKey = Brand<string, 'SubjectKey'>;

const ID_MAX_LENGTH = 512;

const PRINTABLE = /^\P{Cc}+$/u;

export function subjectKey({ kind, id }: Subject): SubjectKey {
  return `${kind}:${id}` as SubjectKey;
}

export function subjectOf(key: SubjectKey): Subject {
  const colon = key.indexOf(':');
  const kind = key.slice(0, colon);
  if (!isSubjectKind(kind)) throw new TypeError(`not the key of a subject: ${key}`);
  return { kind, id: key.slice(colon + 1) };
}

export function isSubjectKind(raw: string): raw is SubjectKind {
  return SUBJECT_KINDS.some((kind) => kind === raw);
}

/** Refuses leading and trailing spaces: two ids that look alike would be two subjects. */
export function subjectFaults({ id }: Subject): FieldFault[] {
  if (id.length <= ID_MAX_LENGTH && PRINTABLE.test(id) && id.trim() === id) return [];
  const message = `must be 1 to ${ID_MAX_LENGTH} printable characters, with no space at either end`;
  return [{ path: '/subject/id', message }];
}
