/**
 * Whether an error of Temporal's SDK means that the server does not answer for now. The SDK has one class for this and for a
 * server that refuses, which it does not give out; the message has the code of gRPC.
 */
export function isOutage(error: unknown): boolean {
  return error instanceof Error && error.name === 'TransportError' && !REFUSALS.test(error.message);
}

const REFUSALS = /\bcode: '?(NotFound|InvalidArgument|PermissionDenied|Unauthenticated|Unimplemented)\b/;
