import type { AccessQuestion, AccessReply } from '../../domain/access-message.ts';

/**
 * Resolves the bearer of a token and their permissions. A refusal by the platform is a reply too; an error means there was no
 * answer.
 */
export interface AccessResolver {
  resolve(question: AccessQuestion, signal: AbortSignal): Promise<AccessReply>;
}
