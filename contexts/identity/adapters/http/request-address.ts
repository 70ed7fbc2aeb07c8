/** From where a request came, as far as the server says. */
export function addressOf(request: object): string {
  return 'address' in request && typeof request.address === 'string' ? request.address : '';
}
