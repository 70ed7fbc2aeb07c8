import { type FieldFault, parseResourceName, type ResourceName, StdError, type Uuid } from '#kit/std';
import { invalidGrant } from './access-error.ts';
import type { Attributes, Gift, Grant, GrantedOn } from './grant.ts';
import { isRole } from './role.ts';
import { isSubjectKind, SUBJECT_KINDS, type Subject, subjectFaults } from './subject.ts';

/** A grant as the request or the row has it, not yet checked. */
export interface RawGrant {
  readonly name?: string;
  readonly subject: { readonly kind: string; readonly id: string };
  readonly role?: string;
  readonly permission?: string;
  readonly attributes?: Attributes;
}

/** A valid grant, before it has a resource and uid. */
export interface GrantDraft {
  readonly name: ResourceName | undefined;
  readonly subject: Subject;
  readonly gives: Gift;
}

/** The parts of a grant that do not come from the draft. */
export interface GrantFounding {
  readonly resource: GrantedOn;
  readonly uid: Uuid;
  readonly grantedBy: string;
  readonly now: number;
}

const NAME_RULE = 'must be 1 to 63 lower-case letters, digits and hyphens, with no hyphen at either end';

/** Reports all faults at once. */
export function parseGrant(raw: RawGrant): GrantDraft {
  const faults: FieldFault[] = [];
  const name = raw.name === undefined ? undefined : readName(raw.name, '/name', faults);
  const subject = readSubject(raw.subject, faults);
  const gives = readGift(raw, faults);
  if (subject === undefined || gives === undefined || faults.length > 0) throw invalidGrant(faults);
  return { name, subject, gives };
}

/** The uid is the default name. */
export function newGrant({ name, subject, gives }: GrantDraft, founding: GrantFounding): Grant {
  const { resource, uid, grantedBy, now } = founding;
  return { uid, name: name ?? parseResourceName(uid), resource, subject, gives, grantedBy, createTime: now };
}

function readSubject({ kind, id }: RawGrant['subject'], faults: FieldFault[]): Subject | undefined {
  if (!isSubjectKind(kind)) {
    faults.push({ path: '/subject/kind', message: `must be one of ${SUBJECT_KINDS.join(', ')}` });
    return undefined;
  }
  faults.push(...subjectFaults({ kind, id }));
  return { kind, id };
}

function readGift({ role, permission, attributes }: RawGrant, faults: FieldFault[]): Gift | undefined {
  if (role !== undefined && permission === undefined) {
    if (attributes !== undefined)
      faults.push({ path: '/attributes', message: 'belong to a permission, not to a role' });
    if (isRole(role)) return { kind: 'role', role };
    faults.push({ path: '/role', message: 'is not a role' });
    return undefined;
  }
  if (permission !== undefined && role === undefined) {
    readName(permission, '/permission', faults);
    return { kind: 'permission', permission, attributes: attributes ?? {} };
  }
  faults.push({ path: role === undefined ? '/role' : '/permission', message: 'give either a role or a permission' });
  return undefined;
}

function readName(raw: string, path: string, faults: FieldFault[]): ResourceName | undefined {
  try {
    return parseResourceName(raw);
  } catch (error) {
    if (!(error instanceof StdError)) throw error;
    faults.push({ path, message: NAME_RULE });
    return undefined;
  }
}
