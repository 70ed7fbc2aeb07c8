/** The fake's error response: a `Status`. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly httpStatus: number;
  readonly reason: string;
  readonly retryAfterSeconds: number | undefined;

  constructor(httpStatus: number, reason: string, message: string, retryAfterSeconds?: number) {
    super(message);
    this.httpStatus = httpStatus;
    this.reason = reason;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  toStatus(): object {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: this.message,
      reason: this.reason,
      code: this.httpStatus,
      ...(this.retryAfterSeconds !== undefined && { details: { retryAfterSeconds: this.retryAfterSeconds } }),
    };
  }
}

export const badRequest = (message: string): Refused => new Refused(400, 'BadRequest', message);
export const notFound = (what: string): Refused => new Refused(404, 'NotFound', `${what} not found`);
export const conflict = (message: string): Refused => new Refused(409, 'Conflict', message);
export const invalid = (message: string): Refused => new Refused(422, 'Invalid', message);
export const expired = (message: string): Refused => new Refused(410, 'Expired', message);
