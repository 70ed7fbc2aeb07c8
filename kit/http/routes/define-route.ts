import type { Static, TObject, TSchema } from 'typebox';
import type { Principal } from '../ports.ts';
import type { Answer, AnswerTo, DeepReadonly } from './answer.ts';
import { checkRoute } from './check-route.ts';
import type { AnyRequest, Permission, Route, RouteInfo, RouteSchema } from './route.ts';
import type { RouteRequest } from './route-request.ts';

export interface RouteDefinition<Schema extends RouteSchema, Needs extends Permission> extends RouteInfo {
  readonly permission: Needs;
  readonly schema: Schema;
  handler(request: RequestTo<Schema, Needs>): Promise<AnswerTo<Schema['responses']>>;
}

export type RequestTo<Schema extends RouteSchema, Needs extends Permission> = RouteRequest<
  PartOf<Schema['params']>,
  PartOf<Schema['query']>,
  Schema['body'] extends TSchema ? DeepReadonly<Static<Schema['body']>> : undefined,
  WhoIs<Needs>
>;

/** A public route has no principal. */
export type WhoIs<Needs extends Permission> = Needs extends 'public' ? undefined : Principal;

export type PartOf<Schema> = Schema extends TObject ? DeepReadonly<Static<Schema>> : Readonly<Record<never, never>>;

/** The only way to declare an operation. Contradictory declarations are refused here, at startup. */
export function defineRoute<const Schema extends RouteSchema, const Needs extends Permission>(
  definition: RouteDefinition<Schema, Needs>,
): Route {
  // The server validates with the same schemas before it calls the handler, so the handler's types hold.
  const handle = (request: AnyRequest): Promise<Answer> =>
    definition.handler(request as unknown as RequestTo<Schema, Needs>);
  return checkRoute({ ...definition, respond: { kind: 'answer', handle } });
}
