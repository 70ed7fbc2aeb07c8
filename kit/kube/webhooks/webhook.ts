/** One path of the server, whatever it answers. */
export interface Webhook {
  readonly path: string;
  /** The largest body that it takes. */
  readonly bodyBytes: number;
  /**
   * Takes the body of a request and gives that of the answer. Throws `WebhookError` for a body that is no review. What
   * the handler of a user throws is not thrown: it becomes a refusal in the review, and `onPanic` is told.
   */
  answer(body: string, context: WebhookContext): Promise<object>;
}

export interface WebhookContext {
  /** Fires when the time is up or the caller has gone. */
  readonly signal: AbortSignal;
  readonly onPanic: (error: unknown) => void;
}
