import { suggestion } from '#kit/config';
import { UsageError } from '../../command.ts';

export interface Subject {
  readonly kind: 'user' | 'group' | 'serviceAccount';
  readonly id: string;
}

const KINDS: Readonly<Record<string, Subject['kind']>> = {
  user: 'user',
  group: 'group',
  serviceaccount: 'serviceAccount',
  sa: 'serviceAccount',
};

/** `user:alice`, `group:dev`, `sa:web/ci`. Everything after the first colon is the id. */
export function readSubject(flag: string, text: string): Subject {
  const colon = text.indexOf(':');
  const word = text.slice(0, Math.max(colon, 0)).toLowerCase().replaceAll('-', '');
  const kind = Object.hasOwn(KINDS, word) ? KINDS[word] : undefined;
  const id = text.slice(colon + 1);
  if (kind === undefined || id === '') {
    const known = suggestion(word, Object.keys(KINDS));
    throw new UsageError(`${flag} ${text}: expected user:alice, group:dev or sa:WORKSPACE/NAME${known}`);
  }
  if (kind === 'serviceAccount' && !/^[^/]+\/[^/]+$/.test(id)) {
    throw new UsageError(`${flag} ${text}: name a service account with its workspace, as sa:web/ci`);
  }
  return { kind, id };
}
