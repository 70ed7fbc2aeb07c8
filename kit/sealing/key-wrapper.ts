/**
 * The data key of one value, encrypted so that it can be stored with the value. Only the wrapping key with this id
 * opens it.
 */
export interface WrappedKey {
  readonly keyId: string;
  readonly bytes: Uint8Array;
}

/**
 * Holds the wrapping keys: a file, or a key management service. An id consists of letters, digits, `.`, `_` and `-`,
 * and is never reused for another key.
 */
export interface KeyWrapper {
  /** The id of the key that wraps new values. */
  activeId(signal: AbortSignal): Promise<string>;
  /** Wraps with the active key. The result can be unwrapped until that key is dropped. */
  wrap(key: Uint8Array, signal: AbortSignal): Promise<WrappedKey>;
  /** Throws `KEY_UNKNOWN` if there is no such key, `SEAL_BROKEN` if the bytes were not wrapped by this key. */
  unwrap(wrapped: WrappedKey, signal: AbortSignal): Promise<Uint8Array>;
}
