import type { KubeObject } from '../../client/kube-object.ts';
import { kubeTime } from '../kube-time.ts';

export type EventType = 'Normal' | 'Warning';

/** The content of an event. */
export interface EventNote {
  readonly type: EventType;
  /** For machines: one word in CamelCase, from a small set. Events with the same reason are combined if there are many. */
  readonly reason: string;
  readonly message: string;
}

export interface EventSource {
  readonly component: string;
  /** Which of several replicas; a host or pod name. */
  readonly instance: string;
}

/**
 * DECISION: `v1` and not `events.k8s.io/v1`. The aggregation rules, `count` and `lastTimestamp` are those of `v1`,
 * which every tool shows; the server stores one kind of object for both.
 */
export interface KubeEvent extends KubeObject {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly involvedObject: InvolvedObject;
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
  readonly source: { readonly component: string; readonly host: string };
  readonly reportingComponent: string;
  readonly reportingInstance: string;
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
  readonly count: number;
}

/** A reference to the object of an event: waiting events must not keep large objects in memory. */
export interface InvolvedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

export interface Occurrence {
  readonly about: InvolvedObject;
  readonly note: EventNote;
  readonly time: number;
  /** Distinguishes the events of one object. */
  readonly id: string;
}

/** Limits of the API server, and of what people read. */
const REASON_CHARS = 128;
const MESSAGE_CHARS = 1024;
const NAME_CHARS = 253;

export function buildEvent({ about, note, time, id }: Occurrence, source: EventSource): KubeEvent {
  const at = kubeTime(time);
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: eventName(about.name, id), namespace: about.namespace ?? 'default' },
    involvedObject: about,
    type: note.type,
    reason: note.reason.slice(0, REASON_CHARS),
    message: shortenMessage(note.message),
    source: { component: source.component, host: source.instance },
    reportingComponent: source.component,
    reportingInstance: source.instance.slice(0, REASON_CHARS),
    firstTimestamp: at,
    lastTimestamp: at,
    count: 1,
  };
}

export function involvedObject({ apiVersion, kind, metadata }: KubeObject): InvolvedObject {
  const { name = '', namespace, uid, resourceVersion } = metadata;
  return {
    apiVersion,
    kind,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}

export function shortenMessage(message: string): string {
  return message.length <= MESSAGE_CHARS ? message : `${message.slice(0, MESSAGE_CHARS - 3)}...`;
}

/** The object's own name, shortened and made valid for an Event: a ClusterRole may be called `system:node`. */
function eventName(about: string, id: string): string {
  const room = NAME_CHARS - id.length - 1;
  const name = about.toLowerCase().replaceAll(/[^a-z0-9.-]/g, '-');
  return `${name.slice(0, room).replace(/^[.-]+|[.-]+$/g, '') || 'unnamed'}.${id}`;
}
