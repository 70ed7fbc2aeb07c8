import { type Catalogue, FleetError } from '#kit/std';

export const CHANNEL_ERRORS = {
  MALFORMED_FRAME: { category: 'invalid', retry: 'never' },
  MESSAGE_TOO_LARGE: { category: 'invalid', retry: 'never' },
  CHANNEL_CLOSED: { category: 'precondition', retry: 'never' },
  SESSION_GONE: { category: 'unavailable', retry: 'later' },
  CHANNEL_NOT_OPEN: { category: 'unavailable', retry: 'later' },
  UPGRADE_NEEDED: { category: 'unavailable', retry: 'after-change' },
} as const satisfies Catalogue;

export type ChannelErrorCode = keyof typeof CHANNEL_ERRORS;

export class ChannelError extends FleetError<ChannelErrorCode> {
  get entry() {
    return CHANNEL_ERRORS[this.code];
  }
}
