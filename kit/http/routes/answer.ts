import { type Static, type TSchema, Type } from 'typebox';

export type Responses = Readonly<Record<number, TSchema>>;

/** The result of a handler. The compiler checks its body against the response schema of its status. */
export interface Answer<Status extends number = number, Body = unknown> {
  readonly status: Status;
  readonly body: Body;
  readonly headers?: Readonly<Record<string, string>>;
}

export type AnswerTo<R extends Responses> = {
  readonly [Status in keyof R & number]: Answer<Status, DeepReadonly<Static<R[Status]>>>;
}[keyof R & number];

/** Types of JSON schemas are mutable; this makes them readonly at any depth. */
export type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

/** The schema of a 204. */
export const NoContent = Type.Null({ description: 'Success, without content.' });

export function answer<const Status extends number, const Body>(status: Status, body: Body): Answer<Status, Body> {
  return { status, body };
}

export function ok<const Body>(body: Body): Answer<200, Body> {
  return answer(200, body);
}

export function created<const Body>(body: Body, location: string): Answer<201, Body> {
  return { status: 201, body, headers: { location } };
}

export function noContent(): Answer<204, null> {
  return answer(204, null);
}
