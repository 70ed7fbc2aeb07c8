import { FleetError } from '#kit/std';
import type { KubeObject } from '../client/kube-object.ts';
import { type AdmissionRequest, parseAdmissionRequest } from './admission-request.ts';
import { admissionReview } from './admission-response.ts';
import { parseBody } from './parse-body.ts';
import { type Denied, deny, type MutatingVerdict, type Verdict } from './verdict.ts';
import type { Webhook } from './webhook.ts';

export interface ValidatingDefinition<T extends KubeObject> {
  readonly path: string;
  readonly validate: (request: AdmissionRequest<T>, signal: AbortSignal) => Verdict | Promise<Verdict>;
}

export interface MutatingDefinition<T extends KubeObject> {
  readonly path: string;
  /** May run more than once for one request, also on its own result: then it must change nothing. */
  readonly mutate: (
    request: AdmissionRequest<T>,
    signal: AbortSignal,
  ) => MutatingVerdict<T> | Promise<MutatingVerdict<T>>;
}

/** The API server limits objects to 3 MiB, and a review holds two. */
const BODY_BYTES = 7 * 1024 * 1024;

export function validatingWebhook<T extends KubeObject>({ path, validate }: ValidatingDefinition<T>): Webhook {
  return admissionWebhook(path, validate);
}

export function mutatingWebhook<T extends KubeObject>({ path, mutate }: MutatingDefinition<T>): Webhook {
  return admissionWebhook<T>(path, (request, signal) => {
    // The handler may change the object in place; the original is needed to compute the patch.
    const own = request.object === undefined ? request : { ...request, object: structuredClone(request.object) };
    return mutate(own, signal);
  });
}

type Handler<T extends KubeObject> = MutatingDefinition<T>['mutate'];

function admissionWebhook<T extends KubeObject>(path: string, handle: Handler<T>): Webhook {
  return {
    path,
    bodyBytes: BODY_BYTES,
    answer: async (body, { signal, onPanic }) => {
      const request = parseAdmissionRequest<T>(parseBody(body));
      try {
        return admissionReview(request, await handle(request, signal));
      } catch (error) {
        signal.throwIfAborted();
        onPanic(error);
        return admissionReview(request, broken(error));
      }
    },
  };
}

/** Messages written for users are shown; unexpected errors are not. */
function broken(error: unknown): Denied {
  const why = error instanceof FleetError ? error.message : 'internal error; see the log of the webhook';
  return deny(`the webhook could not decide: ${why}`, { code: 500, reason: 'InternalError' });
}
