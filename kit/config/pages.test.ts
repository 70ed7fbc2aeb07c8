import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { COMMON_SETTINGS } from './common-settings.ts';
import { CONFIG_ERRORS } from './config-error.ts';
import { helpText } from './help-text.ts';
import { boolean, hostPort, path, secret, text } from './kinds.ts';
import { printSettings } from './print-settings.ts';
import { resolveSettings } from './resolve-settings.ts';
import type { Settings } from './setting.ts';
import { settingsPage } from './settings-page.ts';

const SETTINGS = {
  listen: { kind: hostPort(), default: 'localhost:1', sentence: 'Where.', group: 'Network' },
  open: {
    kind: boolean(),
    default: 'false',
    sentence: `Opens it. ${'Very long. '.repeat(9).trim()}`,
    group: 'Network',
  },
  token: { kind: secret(text()), sentence: 'The token.', group: 'Access' },
  file: { kind: path(), unset: '<data>/file', sentence: 'The file.', group: 'Access', from: ['flag'] },
} as const satisfies Settings;

test('help is aligned, wrapped and grouped, with defaults and variables', () => {
  const help = helpText({ usage: 'x [flags]', summary: 'Does x.', settings: SETTINGS });
  assert.equal(
    help,
    `Usage: x [flags]

Does x.

Network:
  --listen HOST:PORT  Where. [default localhost:1; FLEETSHIFT_LISTEN]
  --open              Opens it. Very long. Very long. Very long. Very long. Very long. Very long.
                      Very long. Very long. Very long. [FLEETSHIFT_OPEN]

Access:
  --token TEXT        The token. [FLEETSHIFT_TOKEN]
  --file FILE         The file. [default <data>/file]

A flag overrides its environment variable, the variable overrides the file, and the file overrides the default.
`,
  );
});

test('every setting is on its page', () => {
  const page = settingsPage({ command: 'x', settings: { ...SETTINGS, ...COMMON_SETTINGS } });
  for (const name of [...Object.keys(SETTINGS), ...Object.keys(COMMON_SETTINGS)]) {
    assert.ok(page.includes(`### \`--${name}\``), name);
  }
});

test('the printed configuration names the sources and hides secrets', () => {
  const resolved = resolveSettings({
    settings: SETTINGS,
    args: ['--listen=h:2'],
    environment: { FLEETSHIFT_TOKEN: 'hunter2' },
    readText: () => '',
  });
  assert.equal(
    printSettings(SETTINGS, resolved),
    `listen: "h:2"          # --listen
open: "false"          # default
# token: "[redacted]"  # environment variable FLEETSHIFT_TOKEN
`,
  );
});

test('the README lists the errors as they are', () => {
  catalogueMatchesReadme({ catalogue: CONFIG_ERRORS, readme: new URL('./README.md', import.meta.url) });
});
