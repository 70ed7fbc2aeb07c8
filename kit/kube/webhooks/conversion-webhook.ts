import type { JsonObject } from '#kit/std';
import { FleetError } from '#kit/std';
import type { KubeObject } from '../client/kube-object.ts';
import { fault, isObject, optionalObject, requestOf, textAt } from './json-fields.ts';
import { parseBodyExactly } from './parse-body.ts';
import type { Webhook } from './webhook.ts';
import { WebhookError } from './webhook-error.ts';

export interface ConversionDefinition {
  readonly path: string;
  /**
   * Returns the object in the requested version, with the same name, namespace, uid and kind; of the metadata only
   * labels and annotations may change. Data that a version cannot hold is best kept in an annotation: objects are
   * converted back and forth.
   */
  readonly convert: (
    object: KubeObject,
    desiredApiVersion: string,
    signal: AbortSignal,
  ) => KubeObject | Promise<KubeObject>;
}

const CONVERSION_API = 'apiextensions.k8s.io/v1';

/** A list is converted at once, so this is about a page of large objects. */
const BODY_BYTES = 64 * 1024 * 1024;

interface ConversionRequest {
  readonly uid: string;
  readonly desiredApiVersion: string;
  readonly objects: readonly KubeObject[];
}

export function conversionWebhook({ path, convert }: ConversionDefinition): Webhook {
  return {
    path,
    bodyBytes: BODY_BYTES,
    answer: async (body, { signal, onPanic }) => {
      const { uid, desiredApiVersion, objects } = parseConversionRequest(parseBodyExactly(body));
      try {
        const convertedObjects: KubeObject[] = [];
        for (const object of objects) {
          signal.throwIfAborted();
          convertedObjects.push(await convertOne(object, { desiredApiVersion, convert, signal }));
        }
        return review({ uid, convertedObjects, result: { status: 'Success' } });
      } catch (error) {
        signal.throwIfAborted();
        onPanic(error);
        const why = error instanceof FleetError ? error.message : 'internal error; see the log of the webhook';
        const message = `the webhook could not convert to ${desiredApiVersion}: ${why}`;
        return review({ uid, convertedObjects: [], result: { status: 'Failure', message } });
      }
    },
  };
}

interface OneConversion extends Pick<ConversionDefinition, 'convert'> {
  readonly desiredApiVersion: string;
  readonly signal: AbortSignal;
}

async function convertOne(
  object: KubeObject,
  { desiredApiVersion, convert, signal }: OneConversion,
): Promise<KubeObject> {
  if (object.apiVersion === desiredApiVersion) return object;
  const converted = await convert(object, desiredApiVersion, signal);
  const kept = [
    ['apiVersion', desiredApiVersion, converted.apiVersion],
    ['kind', object.kind, converted.kind],
    ['name', object.metadata.name, converted.metadata.name],
    ['namespace', object.metadata.namespace, converted.metadata.namespace],
    ['uid', object.metadata.uid, converted.metadata.uid],
  ] as const;
  for (const [field, want, got] of kept) {
    if (want === got) continue;
    const name = `${object.kind} ${object.metadata.name}`;
    throw new WebhookError('NOT_CONVERTED', `convert ${name} from ${object.apiVersion}: its ${field} became ${got}`);
  }
  return converted;
}

function parseConversionRequest(body: unknown): ConversionRequest {
  const path = '/request';
  const request = requestOf(body, CONVERSION_API, 'ConversionReview');
  const objects = request['objects'];
  if (!Array.isArray(objects)) throw fault(`${path}/objects`, 'must be a list');
  return {
    uid: textAt(request, 'uid', path),
    desiredApiVersion: textAt(request, 'desiredAPIVersion', path),
    objects: objects.map((object, index) => parseObject(object, `${path}/objects/${index}`)),
  };
}

function parseObject(object: unknown, path: string): KubeObject {
  if (!isObject(object)) throw fault(path, 'must be an object');
  textAt(object, 'apiVersion', path);
  textAt(object, 'kind', path);
  const metadata: JsonObject = optionalObject(object, 'metadata', path) ?? {};
  return { ...object, metadata } as unknown as KubeObject;
}

function review(response: object): object {
  return { apiVersion: CONVERSION_API, kind: 'ConversionReview', response };
}
