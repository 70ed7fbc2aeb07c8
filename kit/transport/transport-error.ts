import { type Catalogue, FleetError } from '#kit/std';

export const TRANSPORT_ERRORS = {
  UNREACHABLE: { category: 'unavailable', retry: 'later' },
  CONNECTION_LOST: { category: 'unavailable', retry: 'later' },
  PEER_NOT_TRUSTED: { category: 'unavailable', retry: 'after-change' },
  ADDRESS_REFUSED: { category: 'forbidden', retry: 'after-change' },
  REFUSED: { category: 'forbidden', retry: 'after-change' },
  CANNOT_LISTEN: { category: 'precondition', retry: 'after-change' },
  BAD_FRAME: { category: 'invalid', retry: 'never' },
  FRAME_TOO_LARGE: { category: 'invalid', retry: 'never' },
} as const satisfies Catalogue;

export type TransportErrorCode = keyof typeof TRANSPORT_ERRORS;

export class TransportError extends FleetError<TransportErrorCode> {
  get entry() {
    return TRANSPORT_ERRORS[this.code];
  }
}
