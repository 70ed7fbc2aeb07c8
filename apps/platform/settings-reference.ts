import { settingsPage } from '#kit/config';
import { PLATFORM_SETTINGS } from './config.ts';

/** Below the root of the repository. */
export const SETTINGS_REFERENCE_FILE = 'docs/reference/settings.md';

/** The whole page, as it has to stand in that file. */
export function settingsReference(): string {
  return settingsPage({ command: 'fleetshift serve', settings: PLATFORM_SETTINGS });
}
