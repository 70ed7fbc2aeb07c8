import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { foreignInteger, foreignText, foreignTexts } from '#kit/std';
import type { Acknowledgement, PreviewAnswer } from '#protocol/delivery';
import {
  AcknowledgementSchema,
  FromAgentSchema,
  PreviewAnswerSchema,
  type Acknowledgement as WireAcknowledgement,
  type PreviewAnswer as WirePreviewAnswer,
} from '#protocol/proto';

/** The answer of an agent. */
export type Answer =
  | { readonly kind: 'acknowledgement'; readonly acknowledgement: Acknowledgement }
  | { readonly kind: 'preview'; readonly preview: PreviewAnswer | undefined }
  | { readonly kind: 'cancelled' }
  /** Neither yes nor no: a retry may help. */
  | { readonly kind: 'fault'; readonly message: string };

export function encodeAnswer(request: bigint, answer: Answer): Uint8Array {
  return toBinary(FromAgentSchema, create(FromAgentSchema, { request, message: messageOf(answer) }));
}

/** Limits of a preview; longer texts are cut, and a longer list says so. */
const MOST_CHANGES = 1_000;
const LONGEST_CHANGE = 1_024;

/**
 * An answer of a later release, or with a number out of range, becomes a fault, so that the caller learns of it at
 * once.
 */
export function decodeAnswer(payload: Uint8Array): { readonly request: bigint; readonly answer: Answer } {
  const { request, message } = fromBinary(FromAgentSchema, payload);
  try {
    return { request, answer: answerOf(message) };
  } catch (error) {
    if (error instanceof RangeError) return { request, answer: OUT_OF_BOUNDS };
    throw error;
  }
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
      return { kind: 'fault', message: foreignText(message.value.message) };
    case undefined:
      return UNKNOWN_ANSWER;
  }
}

const OUT_OF_BOUNDS: Answer = { kind: 'fault', message: "The agent's answer has a number out of range." };
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
      return { kind: 'rejected', message: foreignText(kind.value.message) };
    case 'fenced':
      return { kind: 'fenced', seen: foreignInteger(kind.value.seen, 1) };
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
  const { message, changes } = kind.value;
  return {
    kind: kind.case,
    message: foreignText(message),
    changes: foreignTexts(changes, MOST_CHANGES, LONGEST_CHANGE),
  };
}
