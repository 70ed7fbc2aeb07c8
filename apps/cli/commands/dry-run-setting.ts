import { boolean, type Settings } from '#kit/config';

/** For every command that changes something. */
export const DRY_RUN_SETTING = {
  'dry-run': {
    kind: boolean(),
    default: 'false',
    sentence: 'Check the change and show its effect, without making it.',
    group: 'How',
    from: ['flag'],
  },
} as const satisfies Settings;

/** Appended to the outcome. */
export function inDryRun(dryRun: boolean): string {
  return dryRun ? ' (dry run)' : '';
}
