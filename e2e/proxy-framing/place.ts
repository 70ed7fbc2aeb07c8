import type { SeededRandom } from '#testing/seeded';
import { smuggledBody } from './bodies.ts';

export const CALLERS = { vera: 'viewer', dora: 'deployer', ada: 'admin', mallory: undefined } as const;
export type Caller = keyof typeof CALLERS;

/** Whose API it is that is asked, and by what names. */
export interface Place {
  readonly door: string;
  readonly tokenOf: (caller: Caller) => string;
  /** Of this case alone. */
  pathOf(id: string, random: SeededRandom): string;
  bodyOf(id: string, random: SeededRandom): string;
  /** Where the same case asks for another protocol, and whether it gets it: it then hears back what it says. */
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
