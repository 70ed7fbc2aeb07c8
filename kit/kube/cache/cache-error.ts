import { type Catalogue, FleetError } from '#kit/std';

export const CACHE_ERRORS = {
  WATCH_STALLED: { category: 'timeout', retry: 'later' },
} as const satisfies Catalogue;

export type CacheErrorCode = keyof typeof CACHE_ERRORS;

export class CacheError extends FleetError<CacheErrorCode> {
  get entry() {
    return CACHE_ERRORS[this.code];
  }
}
