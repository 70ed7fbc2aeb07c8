import type { SeededRandom } from '#testing/seeded';
import { smuggledBody } from './bodies.ts';

/** The role of each in the cluster. */
export const CALLERS = { vera: 'viewer', dora: 'deployer', ada: 'admin', mallory: undefined } as const;
/** The role on the platform that gives it. */
export const GRANTED = { vera: 'cluster-viewer', dora: 'cluster-editor', ada: 'admin', mallory: undefined } as const;
export type Caller = keyof typeof CALLERS;

/** The API under test: its address, callers and paths. */
export interface Place {
  readonly door: string;
  readonly tokenOf: (caller: Caller) => string;
  /** A path unique to this case. */
  pathOf(id: string, random: SeededRandom): string;
  bodyOf(id: string, random: SeededRandom): string;
  /** The path for an upgrade in the same case, and whether the server accepts it; it then echoes. */
  upgradeOf(id: string, path: string, random: SeededRandom): { readonly path: string; readonly isTaken: boolean };
}

/** The target of a DoorWorld, whose API server records. */
export const RECORDED: Place = {
  door: '/targets/web/api',
  tokenOf: (caller) => caller,
  pathOf: (id, random) => `/api/v1/cases/${id}${random.pick(['', '?x=1', '?a=/../b', '/%20x'])}`,
  bodyOf: smuggledBody,
  upgradeOf: (_id, path, random) => {
    const isTaken = random.next() < 0.7;
    return { isTaken, path: isTaken ? path.replace('/cases/', '/up/') : path };
  },
};
