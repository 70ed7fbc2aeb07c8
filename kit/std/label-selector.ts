import { assertNever } from './assert-never.ts';
import type { FieldFault } from './errors.ts';
import { type Labels, labelFaults } from './labels.ts';

export const SELECTOR_OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const;
export type SelectorOperator = (typeof SELECTOR_OPERATORS)[number];

export interface LabelExpression {
  readonly key: string;
  readonly operator: SelectorOperator;
  /** Only for `In` and `NotIn`. */
  readonly values?: readonly string[];
}

/** Same semantics as in Kubernetes: all requirements must match, so an empty selector selects everything. */
export interface LabelSelector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly LabelExpression[];
}

export function matchesSelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector, labels: Labels): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labelOf(labels, key) === value) &&
    matchExpressions.every((expression) => isTrueOf(expression, labels))
  );
}

/** Paths are JSON pointers into a document with the selector at `at`. */
export function selectorFaults({ matchLabels = {}, matchExpressions = [] }: LabelSelector, at: string): FieldFault[] {
  return [
    ...labelFaults(matchLabels, `${at}/matchLabels`),
    ...matchExpressions.flatMap((expression, index) => expressionFaults(expression, `${at}/matchExpressions/${index}`)),
  ];
}

/** As in Kubernetes, `NotIn` also matches objects without the label. */
function isTrueOf({ key, operator, values = [] }: LabelExpression, labels: Labels): boolean {
  const value = labelOf(labels, key);
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return assertNever(operator, 'selector operator');
  }
}

/** `constructor` is a valid label key, and every object inherits a property of that name. */
function labelOf(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

function expressionFaults({ key, operator, values }: LabelExpression, at: string): FieldFault[] {
  const faults = labelFaults({ [key]: '' }).map(({ message }) => ({ path: `${at}/key`, message }));
  switch (operator) {
    case 'In':
    case 'NotIn':
      return [...faults, ...valuesFaults(values ?? [], operator, `${at}/values`)];
    case 'Exists':
    case 'DoesNotExist':
      if (values === undefined || values.length === 0) return faults;
      return [...faults, { path: `${at}/values`, message: `must not be there: ${operator} asks for no value` }];
    default:
      operator satisfies never;
      return [...faults, { path: `${at}/operator`, message: `must be one of ${SELECTOR_OPERATORS.join(', ')}` }];
  }
}

function valuesFaults(values: readonly string[], operator: SelectorOperator, at: string): FieldFault[] {
  if (values.length === 0) return [{ path: at, message: `must have at least one value for ${operator}` }];
  return values.flatMap((value, index) =>
    labelFaults({ value }).map(({ message }) => ({ path: `${at}/${index}`, message })),
  );
}
