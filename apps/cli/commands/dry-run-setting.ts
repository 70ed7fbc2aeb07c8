import { boolean, type Settings } from '#kit/config';

/** Of every command that changes something. */
export const DRY_RUN_SETTING = {
  'dry-run': {
    kind: boolean(),
    default: 'false',
    sentence: 'Only ask whether it could be done, and what would change.',
    group: 'How',
    from: ['flag'],
  },
} as const satisfies Settings;

/** Behind what was done. */
export function inDryRun(dryRun: boolean): string {
  return dryRun ? ' (dry run)' : '';
}
