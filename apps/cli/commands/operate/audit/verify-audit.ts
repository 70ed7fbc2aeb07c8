import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type HeadKey, type Verification, verifyAudit } from '#contexts/governance';
import { headKeyOf, SqlChainStore } from '#contexts/governance/adapters';
import { BadValue, type Kind, oneOf, path, type Settings } from '#kit/config';
import { FileKeyRing, Sealer } from '#kit/sealing';
import type { Storage } from '#kit/storage';
import { AUDIT_HEADS_SECRET } from '#runtime/instance/audit-key';
import { findInstanceSecret } from '#runtime/instance/instance-secret';
import { EXIT, type ExitCode, type Io, UsageError } from '../../../command.ts';
import { OUTPUT_FORMATS, renderData } from '../../../output/render-data.ts';
import { filesOf, LOCAL_SETTINGS, readLocalCommand } from '../backup/local-settings.ts';
import { openLocalDatabase } from '../backup/open-local-database.ts';

type Expected = NonNullable<Parameters<typeof verifyAudit>[1]['expected']>;

const expectedHead: Kind<Expected> = {
  placeholder: 'POSITION:HASH',
  expects: 'a position and a hash, such as 1234:sha256:9f86…',
  parse(given) {
    const [, position, hash] = /^(\d{1,15}):(sha256:[0-9a-f]{64})$/.exec(given) ?? [];
    if (position === undefined || hash === undefined) throw new BadValue(`is not ${this.expects}`);
    return { position: Number(position), hash };
  },
  print: ({ position, hash }) => `${position}:${hash}`,
};

export const VERIFY_SETTINGS = {
  'expect-head': {
    kind: expectedHead,
    sentence: 'A head that was stored elsewhere: the chain must still contain it.',
    group: 'verify',
    from: ['flag'],
  },
  heads: {
    kind: path(),
    sentence: 'A file of heads written by --audit-heads: the chain must still contain each of them.',
    group: 'verify',
    from: ['flag'],
  },
  output: {
    kind: oneOf(OUTPUT_FORMATS),
    default: 'table',
    sentence: 'Output format; -o for short.',
    group: 'verify',
    from: ['flag'],
  },
  ...LOCAL_SETTINGS,
} as const satisfies Settings;

/** Reads the database directly: a platform that may have tampered with the log is not asked. */
export async function verifyAuditCommand(args: readonly string[], io: Io, signal: AbortSignal): Promise<ExitCode> {
  const { values } = readLocalCommand({ settings: VERIFY_SETTINGS, expects: [] }, args, io);
  const { output, expectHead } = values;
  const storage = await openLocalDatabase(values, signal);
  try {
    const key = await auditKeyIn(storage, filesOf(values).keyFile, signal);
    const kept = values.heads === undefined ? [] : await readHeads(values.heads);
    const request = { expected: expectHead, kept, key };
    const verification = await verifyAudit(new SqlChainStore(storage), request, signal);
    io.out(output === 'table' ? render(verification, expectHead) : renderData(output, verification));
    if (key === undefined) io.err('head not authenticated: its key is not available here\n');
    return verification.faults.length === 0 ? EXIT.ok : EXIT.failure;
  } finally {
    await storage.close();
  }
}

/** Missing when the platform never created one, or when the keys are elsewhere. */
async function auditKeyIn(storage: Storage, keyFile: string, signal: AbortSignal): Promise<HeadKey | undefined> {
  if (!existsSync(keyFile)) return undefined;
  const sealer = new Sealer(FileKeyRing.open(keyFile));
  const secret = await findInstanceSecret({ storage, sealer }, AUDIT_HEADS_SECRET, signal);
  return secret === undefined ? undefined : headKeyOf(secret);
}

/** One JSON object per line; a last line truncated by a crash is ignored. */
async function readHeads(file: string): Promise<readonly Expected[]> {
  const lines = (await readFile(file, 'utf8')).split('\n');
  return lines.slice(0, -1).map((line, index) => {
    const { position, hash } = JSON.parse(line) as Partial<Expected>;
    if (typeof position === 'number' && typeof hash === 'string') return { position, hash };
    throw new UsageError(`line ${index + 1} of ${file} is not a head of an audit log`);
  });
}

function render({ checked, pending, start, head, faults }: Verification, expected: Expected | undefined): string {
  const purged = start.position === 0 ? '' : `, from position ${start.position + 1} on; earlier entries were purged`;
  return [
    ...faults.map(describeFault),
    `${faults.length === 0 ? 'intact' : 'NOT INTACT'}: ${checked} entries were checked${purged}`,
    ...(pending === 0 ? [] : [`${pending} entries are not in the chain yet`]),
    ...(expected !== undefined && expected.position < start.position
      ? [`position ${expected.position} was purged: the expected head cannot be checked`]
      : []),
    `head ${head.position}:${head.hash}`,
    '',
  ].join('\n');
}

function describeFault({ kind, position, other }: Verification['faults'][number]): string {
  switch (kind) {
    case 'changed':
      return `position ${position}: the entry was changed`;
    case 'missing':
      return `position ${position}${other === position ? ' is' : ` to ${other} are`} missing`;
    case 'swapped':
      return `positions ${position} and ${other}: the entries were swapped`;
    case 'rewritten':
      return `position ${position}: the chain was rewritten after its head was stored`;
    case 'forged':
      return `position ${position}: the head was not written by the platform, or its key was replaced`;
    case 'truncated':
      return `position ${position}: the chain ends before this stored head`;
  }
}
