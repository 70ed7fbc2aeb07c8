import type { AccessQuestion, AccessReply } from '../../domain/access-message.ts';

/** Who is the bearer, and what may he? What the platform says to it, a refusal included, is a reply; a throw is no answer. */
export interface AccessResolver {
  resolve(question: AccessQuestion, signal: AbortSignal): Promise<AccessReply>;
}
