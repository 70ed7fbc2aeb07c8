import { type Verification, verifyAudit } from '#contexts/governance';
import { SqlChainStore } from '#contexts/governance/adapters';
import { BadValue, type Kind, oneOf, type Settings } from '#kit/config';
import { EXIT, type ExitCode, type Io } from '../../command.ts';
import { OUTPUT_FORMATS, renderData } from '../../output/render-data.ts';
import { LOCAL_SETTINGS, readLocalCommand } from '../backup/local-settings.ts';
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
    sentence: 'A head that was kept elsewhere: the chain must still lead through it.',
    group: 'verify',
    from: ['flag'],
  },
  output: {
    kind: oneOf(OUTPUT_FORMATS),
    default: 'table',
    sentence: 'How to print it; -o for short.',
    group: 'verify',
    from: ['flag'],
  },
  ...LOCAL_SETTINGS,
} as const satisfies Settings;

/** Straight from the database: whoever may have changed it is not asked. */
export async function verifyAuditCommand(args: readonly string[], io: Io, signal: AbortSignal): Promise<ExitCode> {
  const { values } = readLocalCommand({ settings: VERIFY_SETTINGS, expects: [] }, args, io);
  const { output, expectHead } = values;
  const storage = await openLocalDatabase(values, signal);
  try {
    const verification = await verifyAudit(new SqlChainStore(storage), { expected: expectHead }, signal);
    io.out(output === 'table' ? render(verification, expectHead) : renderData(output, verification));
    return verification.faults.length === 0 ? EXIT.ok : EXIT.failure;
  } finally {
    await storage.close();
  }
}

function render({ checked, pending, start, head, faults }: Verification, expected: Expected | undefined): string {
  const purged = start.position === 0 ? '' : `, from position ${start.position + 1} on; what came before was purged`;
  return [
    ...faults.map(describeFault),
    `${faults.length === 0 ? 'intact' : 'NOT INTACT'}: ${checked} entries were checked${purged}`,
    ...(pending === 0 ? [] : [`${pending} entries have no place in the chain yet`]),
    ...(expected !== undefined && expected.position < start.position
      ? [`position ${expected.position} was purged: nothing can be said of the head that was expected there`]
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
      return `position ${position}: the chain was written anew since its head was kept`;
    case 'truncated':
      return `position ${position}: the chain ends before this head that was kept`;
  }
}
