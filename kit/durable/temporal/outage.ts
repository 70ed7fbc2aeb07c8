/**
 * Whether a transport error of Temporal's SDK means that the server does not answer for now. The SDK has one class for this
 * and for a server that refuses; the message has the code of gRPC.
 */
export function isOutage(message: string): boolean {
  return !REFUSALS.test(message);
}

const REFUSALS = /\bcode: '?(NotFound|InvalidArgument|PermissionDenied|Unauthenticated|Unimplemented)\b/;
