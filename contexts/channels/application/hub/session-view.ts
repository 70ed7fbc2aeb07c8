import type { ServedTarget } from './ports.ts';

export interface SessionView {
  readonly fleetlet: string;
  readonly session: string;
  readonly issuedAt: number;
  readonly isLive: boolean;
  readonly address: string;
  readonly targets: readonly ServedTarget[];
  readonly bufferedBytes: number;
  readonly dropped: number;
}
