import type { Payload } from './activity.ts';

/** Thrown through the body by `continueAsNew`; a body that catches all errors must rethrow it. */
export class ContinueAsNew extends Error {
  readonly input: Payload;

  constructor(input: Payload) {
    super('continueAsNew');
    this.input = input;
  }
}
