import { helpText } from '#kit/config';
import { assertNever } from '#kit/std';
import { type AccessExplanationResource, AccessExplanationSchema, type AccessReasonResource } from '#protocol/api';
import { type Command, EXIT } from '../../command.ts';
import { subjectCell } from '../../kinds/cells.ts';
import { printable } from '../../output/printable.ts';
import { QUESTION_SETTINGS, readQuestion } from './question.ts';

export const explainAccess: Command = {
  help: () =>
    helpText({
      usage: 'fleetshift explain-access PERMISSION | VERB KIND [flags]',
      summary:
        'Explains why a subject has a permission, or why not and what it would need. Exits with 1 when it is not allowed.',
      settings: QUESTION_SETTINGS,
    }),
  async run(args, io, signal) {
    const { api, body } = readQuestion(args, io);
    const call = { path: ['access'], verb: 'explain', body };
    const explanation = await api.post(AccessExplanationSchema, call, signal);
    io.out(renderExplanation(explanation));
    return explanation.allowed ? EXIT.ok : EXIT.failure;
  },
};

export function renderExplanation({ allowed, reasons, denial, needed }: AccessExplanationResource): string {
  if (allowed) {
    const because = reasons.length > 1 ? 'yes, for each of these reasons:' : 'yes:';
    return `${[because, ...reasons.map((reason) => `  ${printable(renderReason(reason))}`)].join('\n')}\n`;
  }
  const lines = [`no: ${denial === undefined ? 'the platform gives no reason' : whyNot(denial)}`];
  if (needed !== undefined) {
    const ways = [...needed.roles, ...(needed.permission === undefined ? [] : [`the permission ${needed.permission}`])];
    lines.push(`  needs ${ways.join(' or ') || 'more than any role'} on ${needed.on} or anything above it`);
  }
  return `${lines.join('\n')}\n`;
}

function renderReason({ kind, subject, role, permission, grant, path }: AccessReasonResource): string {
  if (kind === 'instanceAdmin') return 'the administrator of the instance may do everything';
  const what = role ?? `the permission ${permission}`;
  const who = subject === undefined ? 'somebody' : subjectCell(subject);
  const way = path.length > 1 ? `, inherited along ${path.join(' > ')}` : '';
  return `${who} was granted ${what} on ${path[0] ?? 'something above'}${way}${grant === undefined ? '' : ` (${grant})`}`;
}

function whyNot(denial: NonNullable<AccessExplanationResource['denial']>): string {
  switch (denial) {
    case 'unknownPermission':
      return 'unknown permission';
    case 'unknownResource':
      return 'the resource does not exist';
    case 'noGrant':
      return 'no grant allows it';
    case 'outsideScope':
      return 'the token is restricted to another resource';
    case 'rolesOutsideScope':
      return 'the token is restricted to roles that do not allow it';
    default:
      return assertNever(denial, 'denial');
  }
}
