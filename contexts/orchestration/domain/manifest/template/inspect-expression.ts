import { assertNever, escapePointer } from '#kit/std';
import type { Call, Expression, Member } from './expression.ts';
import { PATH_FUNCTIONS, TEMPLATE_FUNCTIONS } from './template-functions.ts';
import { TemplateTrouble } from './template-trouble.ts';

/** The variables of a template, with their fields if these are the same for all targets. */
export const TEMPLATE_VARIABLES: ReadonlyMap<string, readonly string[] | undefined> = new Map([
  ['values', undefined],
  ['target', ['id', 'name', 'type', 'labels', 'properties', 'manifestTypes']],
  ['deployment', ['uid', 'name', 'workspace']],
  ['revision', undefined],
  ['namespace', undefined],
  ['config', undefined],
]);

export interface Inspection {
  /** Names bound by an enclosing `$each`. */
  readonly bound: ReadonlySet<string>;
  /** Collects each field of the target that is read, as a JSON pointer into it. */
  readonly reads: Set<string>;
  readonly troubles: TemplateTrouble[];
}

/** Static checks without a target: finds unknown names, and the fields that the expression reads. */
export function inspect(expression: Expression, into: Inspection): void {
  switch (expression.kind) {
    case 'literal':
      return;
    case 'variable':
      return inspectVariable(expression, into);
    case 'member':
      return inspectMember(expression, into);
    case 'call':
      return inspectCall(expression, into);
    case 'unary':
      return inspect(expression.operand, into);
    case 'binary':
      inspect(expression.left, into);
      return inspect(expression.right, into);
    case 'choice':
      inspect(expression.when, into);
      inspect(expression.yes, into);
      return inspect(expression.no, into);
    default:
      return assertNever(expression, 'expression');
  }
}

function inspectVariable({ at, name }: Extract<Expression, { kind: 'variable' }>, into: Inspection): void {
  if (name === 'target') into.reads.add('');
  if (into.bound.has(name) || TEMPLATE_VARIABLES.has(name)) return;
  const known = [...TEMPLATE_VARIABLES.keys(), ...into.bound].join(', ');
  const hint = 'write $${ for a literal ${';
  into.troubles.push(new TemplateTrouble(at, `there is no variable ${name}; there are ${known}; ${hint}`));
}

/** A literal path is recorded in full; a computed one up to the first computed key. */
function inspectMember(expression: Member, into: Inspection): void {
  const path = writtenPath(expression);
  if (path === undefined) {
    inspect(expression.of, into);
    return inspect(expression.key, into);
  }
  const [root, ...keys] = path;
  const fields = TEMPLATE_VARIABLES.get(root);
  const [field, ...deeper] = keys;
  // For other variables, each shorter path is inspected in turn.
  const isLast = root === 'target' || deeper.length === 0;
  if (isLast && fields !== undefined && field !== undefined && !fields.includes(field)) {
    into.troubles.push(
      new TemplateTrouble(expression.at, `there is no ${root}.${field}; there are ${fields.join(', ')}`),
    );
  }
  if (root !== 'target') return inspect(expression.of, into);
  into.reads.add(keys.map((key) => `/${escapePointer(key)}`).join(''));
}

function writtenPath(expression: Expression): readonly [string, ...string[]] | undefined {
  if (expression.kind === 'variable') return [expression.name];
  if (expression.kind !== 'member' || expression.key.kind !== 'literal') return undefined;
  const path = writtenPath(expression.of);
  return path && [...path, String(expression.key.value)];
}

function inspectCall({ at, name, args }: Call, into: Inspection): void {
  for (const argument of args) inspect(argument, into);
  const takes = PATH_FUNCTIONS.get(name) ?? TEMPLATE_FUNCTIONS.get(name)?.takes;
  if (takes === undefined) {
    const known = [...PATH_FUNCTIONS.keys(), ...TEMPLATE_FUNCTIONS.keys()].sort().join(', ');
    into.troubles.push(new TemplateTrouble(at, `there is no function ${name}; there are ${known}`));
    return;
  }
  const [least, most] = takes;
  if (args.length < least || args.length > most) {
    const wanted = least === most ? `${least}` : `${least} to ${most}`;
    into.troubles.push(new TemplateTrouble(at, `${name} takes ${wanted} arguments, not ${args.length}`));
  }
  const [first] = args;
  if (PATH_FUNCTIONS.has(name) && first?.kind !== 'member' && first?.kind !== 'variable') {
    into.troubles.push(new TemplateTrouble(at, `${name} takes a path such as values.image`));
  }
}
