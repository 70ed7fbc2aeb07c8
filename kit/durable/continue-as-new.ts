import type { Json } from './activity.ts';

/** Thrown through the body by `continueAsNew`; a body that catches all errors must rethrow it. */
export class ContinueAsNew extends Error {
  readonly input: Json;

  constructor(input: Json) {
    super('continueAsNew');
    this.input = input;
  }
}
