import { boolean, helpText, oneOf, type Settings, text } from '#kit/config';
import type { PreviewResource } from '#protocol/api';
import { readClientCommand } from '../../client/client-command.ts';
import { CLIENT_SETTINGS } from '../../client/client-settings.ts';
import { type Command, EXIT, type ExitCode, type Io } from '../../command.ts';
import { exitCodeOf, explain } from '../../exit-code-of.ts';
import { PLACE_SETTINGS } from '../../kinds/place.ts';
import { paintFor } from '../../output/paint.ts';
import { OUTPUT_FORMATS, renderData } from '../../output/render-data.ts';
import { SPEC_SETTINGS } from './deploy/deploy-settings.ts';
import { readPreview } from './deploy/read-preview.ts';
import { renderPreview } from './deploy/render-preview.ts';
import { wantedDeployment } from './deploy/wanted-deployment.ts';
import { DETAILS_SETTING } from './details-setting.ts';

const group = 'Show';
const from = ['flag'] as const;

const SETTINGS = {
  ...SPEC_SETTINGS,
  'exit-code': {
    kind: boolean(),
    default: 'false',
    sentence: 'Exit with 0 if nothing differs, with 1 if something does, and with another code for errors.',
    group,
    from,
  },
  target: { kind: text('NAME'), unset: 'some of the targets', sentence: 'Show only this target.', group, from },
  deep: { kind: boolean(), default: 'false', sentence: 'Also ask the agents of the targets shown.', group, from },
  details: DETAILS_SETTING,
  output: {
    kind: oneOf(OUTPUT_FORMATS),
    default: 'table',
    sentence: 'Output format; -o for short. json and yaml have all fields of the preview.',
    group,
    from,
  },
  workspace: PLACE_SETTINGS.workspace,
  ...CLIENT_SETTINGS,
} as const satisfies Settings;

const SUMMARY = `Shows what differs between the flags or the document and what the targets have, without changing anything; without
flags, what a new plan would change. It prints nothing if nothing differs. Secrets are masked.`;

export const diff: Command = {
  help: () => helpText({ usage: 'fleetshift diff NAME|-f FILE [flags]', summary: SUMMARY, settings: SETTINGS }),
  async run(args, io, signal) {
    const command = readClientCommand({ settings: SETTINGS, expects: [], more: true }, args, io);
    if (!command.values.exitCode) return await show(command, io, signal);
    try {
      return await show(command, io, signal);
    } catch (error) {
      // 1 means that something differs, so no error may have it.
      if (signal.aborted || exitCodeOf(error) !== EXIT.failure) throw error;
      io.err(`fleetshift diff: ${explain(error)}\n`);
      return EXIT.unavailable;
    }
  },
};

async function show(
  command: ReturnType<typeof readClientCommand<typeof SETTINGS>>,
  io: Io,
  signal: AbortSignal,
): Promise<ExitCode> {
  const { target, deep, details, output, exitCode } = command.values;
  const wanted = await wantedDeployment(command.api, command, signal);
  const query = { target, deep: deep || undefined };
  const seen = await readPreview(command.api, { wanted, query }, signal);
  const differs = isDifferent(seen);
  if (output !== 'table') io.out(renderData(output, seen));
  else if (differs) io.out(`${renderPreview(seen, paintFor(io), { details, withoutPlan: true }).join('\n')}\n`);
  return differs && exitCode ? EXIT.failure : EXIT.ok;
}

/** Targets that are sent the same content again do not differ; those whose removal would be held do. */
export function isDifferent({ spec, counts, resolution, targets }: PreviewResource): boolean {
  const { added, changed, removed, failing } = counts;
  const { held, waiting = [] } = resolution;
  const isChangedThere = targets.some(({ agent }) => agent !== undefined && agent.changes.length > 0);
  return spec.length + added + changed + removed + failing + held.length + waiting.length > 0 || isChangedThere;
}
