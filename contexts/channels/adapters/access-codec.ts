import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { foreignInteger, foreignName } from '#kit/std';
import { type AccessAnswer, AccessAnswerSchema, type AccessRequest, AccessRequestSchema } from '#protocol/proto';
import type {
  AccessAnswerMessage,
  AccessFacts,
  AccessQuestion,
  AccessRequestMessage,
} from '../domain/access-message.ts';

export function encodeAccessRequest({ request, question }: AccessRequestMessage): Uint8Array {
  const init = { request: BigInt(request), question: wireQuestion(question) };
  return toBinary(AccessRequestSchema, create(AccessRequestSchema, init));
}

/** As large as the headers of a request may be. */
const LONGEST_TOKEN = 16_384;

/** `undefined`: malformed, of a kind that this release does not know, or with values that no fleetlet sends. */
export function decodeAccessRequest(payload: Uint8Array): AccessRequestMessage | undefined {
  return tried(() => {
    const decoded = fromBinary(AccessRequestSchema, payload);
    const question = questionOf(decoded);
    return question && { request: foreignInteger(decoded.request), question };
  });
}

export function encodeAccessAnswer({ request, facts, maxAgeMs, staleMs }: AccessAnswerMessage): Uint8Array {
  const init = { request: BigInt(request), answer: wireFacts(facts), maxAgeMs, staleMs };
  return toBinary(AccessAnswerSchema, create(AccessAnswerSchema, init));
}

export function decodeAccessAnswer(payload: Uint8Array): AccessAnswerMessage | undefined {
  const decoded = tried(() => fromBinary(AccessAnswerSchema, payload));
  const facts = decoded && factsOf(decoded);
  return (
    decoded &&
    facts && { request: Number(decoded.request), facts, maxAgeMs: decoded.maxAgeMs, staleMs: decoded.staleMs }
  );
}

/** A malformed message yields `undefined`; the caller decides what to do. */
function tried<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}

type WireQuestion = NonNullable<MessageInitShape<typeof AccessRequestSchema>['question']>;

function wireQuestion(question: AccessQuestion): WireQuestion {
  switch (question.kind) {
    case 'identity':
      return { case: 'resolveIdentity', value: { bearerToken: question.token } };
    case 'permissions': {
      const { token, permission } = question;
      return { case: 'lookupPermissions', value: { bearerToken: token, permission } };
    }
  }
}

function questionOf({ question }: AccessRequest): AccessQuestion | undefined {
  switch (question.case) {
    case 'resolveIdentity':
      return { kind: 'identity', token: tokenOf(question.value) };
    case 'lookupPermissions':
      return {
        kind: 'permissions',
        token: tokenOf(question.value),
        permission: foreignName(question.value.permission),
      };
    case undefined:
      return undefined;
  }
}

function tokenOf({ bearerToken }: { readonly bearerToken: string }): string {
  return foreignName(bearerToken, LONGEST_TOKEN);
}

type WireFacts = NonNullable<MessageInitShape<typeof AccessAnswerSchema>['answer']>;

function wireFacts(facts: AccessFacts): WireFacts {
  switch (facts.kind) {
    case 'identity': {
      const { subject, groups, issuer } = facts;
      return { case: 'identity', value: { subject, groups: [...groups], issuer } };
    }
    case 'permissions':
      return { case: 'permissions', value: { workspaces: [...facts.workspaces] } };
    case 'fault':
      return { case: 'fault', value: { code: facts.code, message: facts.message } };
  }
}

function factsOf({ answer }: AccessAnswer): AccessFacts | undefined {
  switch (answer.case) {
    case 'identity': {
      const { subject, groups, issuer } = answer.value;
      return { kind: 'identity', subject, groups, issuer };
    }
    case 'permissions':
      return { kind: 'permissions', workspaces: answer.value.workspaces };
    case 'fault':
      return { kind: 'fault', code: answer.value.code, message: answer.value.message };
    case undefined:
      return undefined;
  }
}
