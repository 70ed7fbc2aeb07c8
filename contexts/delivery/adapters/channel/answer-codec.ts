import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  AcknowledgementSchema,
  FromAgentSchema,
  PreviewAnswerSchema,
  type Acknowledgement as WireAcknowledgement,
  type PreviewAnswer as WirePreviewAnswer,
} from '#protocol/proto';
import type { Acknowledgement, PreviewAnswer } from '../../domain/delivery-order.ts';

/** What an agent answers. */
export type Answer =
  | { readonly kind: 'acknowledgement'; readonly acknowledgement: Acknowledgement }
  | { readonly kind: 'preview'; readonly preview: PreviewAnswer | undefined }
  | { readonly kind: 'cancelled' }
  /** Neither yes nor no: asking again may help. */
  | { readonly kind: 'fault'; readonly message: string };

export function encodeAnswer(request: bigint, answer: Answer): Uint8Array {
  return toBinary(FromAgentSchema, create(FromAgentSchema, { request, message: messageOf(answer) }));
}

/** An answer of a later release, which nobody here understands, is a fault. */
export function decodeAnswer(payload: Uint8Array): { readonly request: bigint; readonly answer: Answer } {
  const { request, message } = fromBinary(FromAgentSchema, payload);
  return { request, answer: answerOf(message) };
}

type WireMessage = ReturnType<typeof messageOf>;

function messageOf(answer: Answer) {
  switch (answer.kind) {
    case 'acknowledgement':
      return { case: 'acknowledgement', value: wireAcknowledgement(answer.acknowledgement) } as const;
    case 'preview':
      return { case: 'preview', value: wirePreview(answer.preview) } as const;
    case 'cancelled':
      return { case: 'cancelled', value: { $typeName: 'fleetshift.v1.FromAgent.Cancelled' } } as const;
    case 'fault':
      return {
        case: 'fault',
        value: { $typeName: 'fleetshift.v1.FromAgent.AgentFault', message: answer.message },
      } as const;
  }
}

function answerOf(message: WireMessage | { readonly case: undefined }): Answer {
  switch (message.case) {
    case 'acknowledgement': {
      const acknowledgement = acknowledgementOf(message.value);
      return acknowledgement === undefined ? UNKNOWN_ANSWER : { kind: 'acknowledgement', acknowledgement };
    }
    case 'preview':
      return { kind: 'preview', preview: previewOf(message.value) };
    case 'cancelled':
      return { kind: 'cancelled' };
    case 'fault':
      return { kind: 'fault', message: message.value.message };
    case undefined:
      return UNKNOWN_ANSWER;
  }
}

const UNKNOWN_ANSWER: Answer = { kind: 'fault', message: 'The agent gave an answer that this release does not know.' };

function wireAcknowledgement(acknowledgement: Acknowledgement): WireAcknowledgement {
  switch (acknowledgement.kind) {
    case 'accepted':
      return create(AcknowledgementSchema, { kind: { case: 'accepted', value: {} } });
    case 'offline':
      return create(AcknowledgementSchema, { kind: { case: 'offline', value: {} } });
    case 'rejected':
      return create(AcknowledgementSchema, {
        kind: { case: 'rejected', value: { message: acknowledgement.message } },
      });
    case 'fenced':
      return create(AcknowledgementSchema, {
        kind: { case: 'fenced', value: { seen: BigInt(acknowledgement.seen) } },
      });
  }
}

function acknowledgementOf({ kind }: WireAcknowledgement): Acknowledgement | undefined {
  switch (kind.case) {
    case 'accepted':
    case 'offline':
      return { kind: kind.case };
    case 'rejected':
      return { kind: 'rejected', message: kind.value.message };
    case 'fenced':
      return { kind: 'fenced', seen: Number(kind.value.seen) };
    case undefined:
      return undefined;
  }
}

function wirePreview(preview: PreviewAnswer | undefined): WirePreviewAnswer {
  if (preview === undefined) return create(PreviewAnswerSchema, { kind: { case: 'cannotTell', value: {} } });
  const { kind, message, changes } = preview;
  return create(PreviewAnswerSchema, { kind: { case: kind, value: { message, changes: [...changes] } } });
}

function previewOf({ kind }: WirePreviewAnswer): PreviewAnswer | undefined {
  if (kind.case !== 'wouldApply' && kind.case !== 'wouldReject') return undefined;
  return { kind: kind.case, message: kind.value.message, changes: kind.value.changes };
}
