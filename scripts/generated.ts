import { SETTINGS_REFERENCE_FILE, settingsReference } from '../apps/platform/settings-reference.ts';

export interface Generated {
  readonly name: string;
  /** Whole files by their path below the root. The same sources give the same bytes, on every machine. */
  readonly generate: () => Promise<ReadonlyMap<string, string>>;
}

/** Files that are kept in the repository but written by it. `npm run generate` writes them; a test compares. */
export const GENERATED: readonly Generated[] = [
  {
    name: 'settings reference',
    generate: async () => new Map([[SETTINGS_REFERENCE_FILE, settingsReference()]]),
  },
];
