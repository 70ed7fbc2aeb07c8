/** One path of the server. */
export interface Webhook {
  readonly path: string;
  /** Maximum size of the body. */
  readonly bodyBytes: number;
  /**
   * Takes the body of a request and returns the body of the response. Throws `WebhookError` for a body that is not a
   * review. Errors of the user's handler are not thrown: they become a refusal in the review, and `onPanic` is called.
   */
  answer(body: string, context: WebhookContext): Promise<object>;
}

export interface WebhookContext {
  /** Aborts on timeout or when the caller disconnects. */
  readonly signal: AbortSignal;
  readonly onPanic: (error: unknown) => void;
}
