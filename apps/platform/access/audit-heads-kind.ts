import { isAbsolute } from 'node:path';
import { type HeadDestination, toHeadFile, toHeadReceiver } from '#contexts/governance/adapters';
import { BadValue, type Kind } from '#kit/config';
import type { DialGuard } from '#kit/transport/dial';

/** `file:/var/log/heads` or `https://...`. */
export type AuditHeadsPlace = { readonly kind: 'file' | 'receiver'; readonly at: string };

export const auditHeadsKind: Kind<AuditHeadsPlace> = {
  placeholder: 'PLACE',
  expects: 'file: and an absolute path, or an https:// address',
  parse(given) {
    const file = given.startsWith('file:') ? given.slice('file:'.length) : undefined;
    if (file !== undefined && isAbsolute(file)) return { kind: 'file', at: file };
    const url = URL.parse(given);
    if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') {
      throw new BadValue(`is not ${this.expects}`);
    }
    return { kind: 'receiver', at: url.href };
  },
  print: ({ kind, at }) => (kind === 'file' ? `file:${at}` : at),
};

export function headDestination({ kind, at }: AuditHeadsPlace, guard: DialGuard): HeadDestination {
  return kind === 'file' ? toHeadFile(at) : toHeadReceiver(at, guard);
}
