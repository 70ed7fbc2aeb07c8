import { oneOf, type Settings } from '#kit/config';
import { FileKeyRing } from '#kit/sealing';
import { EXIT, type ExitCode, type Io } from '../../../command.ts';
import { OUTPUT_FORMATS, renderData } from '../../../output/render-data.ts';
import { renderTable } from '../../../output/render-table.ts';
import { renderTime } from '../../../output/render-time.ts';
import { filesOf, LOCAL_SETTINGS, readLocalCommand } from '../backup/local-settings.ts';

export const LIST_SETTINGS = {
  output: {
    kind: oneOf(OUTPUT_FORMATS),
    default: 'table',
    sentence: 'Output format; -o for short.',
    group: 'list',
    from: ['flag'],
  },
  ...LOCAL_SETTINGS,
} as const satisfies Settings;

export async function listKeys(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values } = readLocalCommand({ settings: LIST_SETTINGS, expects: [] }, args, io);
  const items = FileKeyRing.open(filesOf(values).keyFile)
    .list()
    .map(({ id, isActive, createTime, retireTime }) => ({
      id,
      status: isActive ? 'active' : 'retired',
      createTime: new Date(createTime).toISOString(),
      ...(retireTime === undefined ? {} : { retireTime: new Date(retireTime).toISOString() }),
    }));
  if (values.output !== 'table') io.out(renderData(values.output, { items }));
  else {
    const rows = items.map(({ id, status, createTime, retireTime }) => [
      id,
      status,
      renderTime(createTime),
      retireTime === undefined ? '-' : renderTime(retireTime),
    ]);
    io.out(renderTable(['ID', 'STATUS', 'CREATED', 'RETIRED'], rows));
  }
  return EXIT.ok;
}
