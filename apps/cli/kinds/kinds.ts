import { suggestion } from '#kit/config';
import { UsageError } from '../command.ts';
import { auditKind } from './access/audit-kind.ts';
import { bootstrapTokenKind } from './access/bootstrap-token-kind.ts';
import { grantKind } from './access/grant-kind.ts';
import { issuerKind } from './access/issuer-kind.ts';
import { permissionSchemaKind } from './access/permission-schema-kind.ts';
import { serviceAccountKind } from './access/service-account-kind.ts';
import { sessionKind } from './access/session-kind.ts';
import { tokenKind } from './access/token-kind.ts';
import { approvalKind } from './approval-kind.ts';
import { deploymentKind } from './deployment-kind.ts';
import { fleetletKind } from './fleetlet-kind.ts';
import { indexSchemaKind } from './index-schema-kind.ts';
import { indexedKind } from './indexed-kind.ts';
import type { Kind } from './kind.ts';
import { replicaKind } from './replica-kind.ts';
import { revisionKind } from './revision-kind.ts';
import { targetKind } from './target-kind.ts';
import { usageKind } from './usage-kind.ts';
import { workspaceKind } from './workspace-kind.ts';

/** In the order of the help, which is also the order in which `apply` creates dependencies. */
export const KINDS: readonly Kind[] = [
  workspaceKind,
  permissionSchemaKind,
  issuerKind,
  targetKind,
  indexSchemaKind,
  indexedKind,
  deploymentKind,
  revisionKind,
  approvalKind,
  serviceAccountKind,
  grantKind,
  tokenKind,
  bootstrapTokenKind,
  fleetletKind,
  sessionKind,
  auditKind,
  usageKind,
  replicaKind,
];

/** Accepts singular, plural or short names, with or without dashes, in any case. */
export function kindNamed(word: string): Kind {
  const wanted = plain(word);
  const found = KINDS.find((kind) => wordsFor(kind).some((each) => plain(each) === wanted));
  if (found !== undefined) return found;
  const known = KINDS.map(({ plural }) => plural);
  const all = suggestion(word, KINDS.flatMap(wordsFor)) || `; there are ${known.join(', ')}`;
  throw new UsageError(`unknown kind "${word}"${all}`);
}

/** For help texts. */
export function kindsHelp(which: (kind: Kind) => boolean = () => true): string {
  const rows = KINDS.filter(which).map(({ plural, short, summary }) => ({
    words: short === undefined ? plural : `${plural} (${short})`,
    summary,
  }));
  const width = Math.max(...rows.map(({ words }) => words.length)) + 2;
  return rows.map(({ words, summary }) => `  ${words.padEnd(width)}${summary}`).join('\n');
}

function wordsFor({ name, plural, short, title }: Kind): string[] {
  return [plural, name, title, ...(short === undefined ? [] : [short])];
}

function plain(word: string): string {
  return word.toLowerCase().replaceAll('-', '');
}
