import { boolean, helpText, oneOf, type Settings, text } from '#kit/config';
import { readClientCommand } from '../../client/client-command.ts';
import { CLIENT_SETTINGS } from '../../client/client-settings.ts';
import { type Command, EXIT } from '../../command.ts';
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
  target: { kind: text('NAME'), unset: 'some of the targets', sentence: 'Show only this target.', group, from },
  deep: {
    kind: boolean(),
    default: 'false',
    sentence: 'Also ask the agents of the targets shown.',
    group,
    from,
  },
  details: DETAILS_SETTING,
  output: {
    kind: oneOf(OUTPUT_FORMATS),
    default: 'table',
    sentence: 'Output format; -o for short. json and yaml have all fields of the API.',
    group,
    from,
  },
  workspace: PLACE_SETTINGS.workspace,
  ...CLIENT_SETTINGS,
} as const satisfies Settings;

const SUMMARY = `Shows what would change on each target, without changing anything. It accepts the flags of "fleetshift deploy"; for
an existing deployment without further flags it shows what a new plan would send. Secrets are masked. The digest
identifies the outcome: it stays the same as long as the outcome does.`;

export const preview: Command = {
  help: () => helpText({ usage: 'fleetshift preview NAME|-f FILE [flags]', summary: SUMMARY, settings: SETTINGS }),
  async run(args, io, signal) {
    const command = readClientCommand({ settings: SETTINGS, expects: [], more: true }, args, io);
    const { target, deep, details, output } = command.values;
    const wanted = await wantedDeployment(command.api, command, signal);
    const query = { target, deep: deep || undefined };
    const seen = await readPreview(command.api, { wanted, query }, signal);
    io.out(
      output === 'table' ? `${renderPreview(seen, paintFor(io), { details }).join('\n')}\n` : renderData(output, seen),
    );
    return EXIT.ok;
  },
};
