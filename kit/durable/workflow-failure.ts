/** The stored form of an error: a code for machines, a message for people. */
export interface WorkflowFailure {
  readonly code: string;
  readonly message: string;
}
