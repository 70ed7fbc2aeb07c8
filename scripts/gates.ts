export interface Gate {
  readonly name: string;
  /** Runs in the root of the repository, with the installed tools first in PATH. Exit code 0 means: passed. */
  readonly command: readonly string[];
}

/**
 * The gates of `npm run check`. testing/gates runs the same commands on planted violations, so that a gate that no longer
 * detects anything is noticed. The slow ones come first.
 */
export const GATES = {
  selfTests: { name: 'self-tests', command: ['node', '--test', 'testing/gates/*.test.ts'] },
  lint: { name: 'lint', command: ['oxlint'] },
  types: { name: 'types', command: ['tsc'] },
  arrows: {
    name: 'arrows',
    command: ['depcruise', '--config', '.dependency-cruiser.cjs', '--output-type', 'err-long', '.'],
  },
  advisories: { name: 'advisories', command: ['node', 'scripts/advisories/check.ts'] },
  unused: { name: 'unused', command: ['knip'] },
  format: { name: 'format', command: ['biome', 'ci', '--colors=off'] },
} as const satisfies Record<string, Gate>;
