import { type Catalogue, FleetError } from '#kit/std';

export const WEBHOOK_ERRORS = {
  CERTIFICATE_UNUSABLE: { category: 'invalid', retry: 'after-change' },
  MALFORMED_REVIEW: { category: 'invalid', retry: 'never' },
  UNSUPPORTED_MEDIA_TYPE: { category: 'invalid', retry: 'never' },
  BODY_TOO_LARGE: { category: 'exhausted', retry: 'never' },
  WEBHOOK_NOT_FOUND: { category: 'not-found', retry: 'never' },
  METHOD_NOT_ALLOWED: { category: 'invalid', retry: 'never' },
  HANDLER_TOO_SLOW: { category: 'timeout', retry: 'later' },
  NOT_CONVERTED: { category: 'internal', retry: 'never' },
} as const satisfies Catalogue;

export type WebhookErrorCode = keyof typeof WEBHOOK_ERRORS;

export class WebhookError extends FleetError<WebhookErrorCode> {
  get entry() {
    return WEBHOOK_ERRORS[this.code];
  }
}
