import type { Json } from './activity.ts';

/** Thrown through the body by `continueAsNew`; a body that catches everything must let it pass. */
export class ContinueAsNew extends Error {
  readonly input: Json;

  constructor(input: Json) {
    super('continueAsNew');
    this.input = input;
  }
}
