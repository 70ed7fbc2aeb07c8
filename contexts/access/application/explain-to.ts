import { askerOf, type Caller } from '../domain/asker.ts';
import type { Question } from '../domain/decide-access.ts';
import type { Explanation, Reason } from '../domain/explain-access.ts';
import type { Gift } from '../domain/grant.ts';
import { pathOf, type ResourceRef, SEEING } from '../domain/resource-ref.ts';
import { type Subject, subjectKey } from '../domain/subject.ts';
import type { AccessDecisions } from './ports.ts';

/** A reason, reduced to the parts that the reader may know. */
export type ToldReason =
  | { readonly kind: 'instanceAdmin' }
  | {
      readonly kind: 'grant';
      readonly subject: Subject;
      readonly gives: Gift;
      /** `workspaces/web/grants/ops`; `undefined` when the reader may not see the resource or its grants. */
      readonly grant: string | undefined;
      /** Begins at the topmost resource that the reader may see. */
      readonly path: readonly ResourceRef[];
    };

export type ToldExplanation =
  | { readonly allowed: true; readonly reasons: readonly ToldReason[] }
  | Extract<Explanation, { allowed: false }>;

interface Telling {
  readonly decisions: AccessDecisions;
  readonly reader: Caller;
}

/**
 * DECISION: who has access to a resource, and by which role, is a fact about that resource. A reader that may ask
 * therefore also learns of grants further up the tree, but not which resource they are on when it may not see that
 * resource. (ADR-0024)
 */
export async function explainTo(
  { decisions, reader }: Telling,
  { subject, question }: { subject: Caller; question: Question },
  signal: AbortSignal,
): Promise<ToldExplanation> {
  const explanation = await decisions.explain(subject, question, signal);
  if (!explanation.allowed) return explanation;
  const reasons: ToldReason[] = [];
  for (const reason of explanation.reasons) reasons.push(await told({ decisions, reader }, reason, signal));
  return { allowed: true, reasons };
}

async function told({ decisions, reader }: Telling, reason: Reason, signal: AbortSignal): Promise<ToldReason> {
  if (reason.kind === 'instanceAdmin') return reason;
  const { grant, path } = reason;
  const may = async (permission: string, resource: ResourceRef) =>
    (await decisions.check(reader, { permission, resource }, signal)).allowed;
  const seen: ResourceRef[] = [];
  for (const at of path) {
    if (await may(SEEING[at.kind], at)) seen.push(at);
  }
  const his = askerOf(reader).subjects.has(subjectKey(grant.subject));
  const known = his ? seen.length === path.length : await may('grants.read', grant.resource);
  return {
    kind: 'grant',
    subject: grant.subject,
    gives: grant.gives,
    grant: known ? `${pathOf(grant.resource)}/grants/${grant.name}` : undefined,
    path: seen,
  };
}
