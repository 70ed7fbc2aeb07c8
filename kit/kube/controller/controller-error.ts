import { type Catalogue, FleetError } from '#kit/std';

export const CONTROLLER_ERRORS = {
  CACHE_NOT_SYNCED: { category: 'unavailable', retry: 'later' },
  NOTHING_TO_RECONCILE: { category: 'internal', retry: 'never' },
} as const satisfies Catalogue;

export type ControllerErrorCode = keyof typeof CONTROLLER_ERRORS;

export class ControllerError extends FleetError<ControllerErrorCode> {
  get entry() {
    return CONTROLLER_ERRORS[this.code];
  }
}
