/** The key of one value, as it may be kept beside the value: only the key of keys with this id opens it. */
export interface WrappedKey {
  readonly keyId: string;
  readonly bytes: Uint8Array;
}

/**
 * Whoever holds the keys that keys are wrapped with: a file, or a key management service. An id is of letters, digits,
 * `.`, `_` and `-`, and names one key for ever.
 */
export interface KeyWrapper {
  /** The id of the key that new values are wrapped with. */
  activeId(signal: AbortSignal): Promise<string>;
  /** With the active key. What it gives can be unwrapped for as long as the key is not dropped. */
  wrap(key: Uint8Array, signal: AbortSignal): Promise<WrappedKey>;
  /** `KEY_UNKNOWN` when there is no such key, `SEAL_BROKEN` when it is not what this key wrapped. */
  unwrap(wrapped: WrappedKey, signal: AbortSignal): Promise<Uint8Array>;
}
