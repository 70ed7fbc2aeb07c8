import type { LabelSelector as SelectorFields } from '#kit/std';
import { UsageError } from '../command.ts';

type Labels = Readonly<Record<string, string>>;

interface Requirement {
  readonly key: string;
  readonly operator: 'in' | 'notIn' | 'exists' | 'absent';
  readonly values: readonly string[];
}

/** Labels reported by agents have this prefix, which keeps them apart from labels set by users. */
const REPORTED = 'agent.fleetshift.io/';

const KEY = '[A-Za-z0-9]([-A-Za-z0-9_./]*[A-Za-z0-9])?';
const VALUE = '([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?';
const EQUAL = new RegExp(`^(?<key>${KEY})\\s*(?<not>!)?==?\\s*(?<value>${VALUE})$`);
const SET = new RegExp(`^(?<key>${KEY})\\s+(?<not>not)?in\\s*\\((?<values>[^()]*)\\)$`);
const PRESENT = new RegExp(`^(?<not>!)?\\s*(?<key>${KEY})$`);

/** `env=prod,tier in (web, api),!legacy`, as in kubectl: all requirements must match. */
export class LabelSelector {
  readonly #requirements: readonly Requirement[];

  private constructor(requirements: readonly Requirement[]) {
    this.#requirements = requirements;
  }

  static parse(text: string, flag = '--selector'): LabelSelector {
    return new LabelSelector(text.split(/,(?![^(]*\))/).map((part) => parseRequirement(part.trim(), flag)));
  }

  matches({ labels, reportedLabels = {} }: { readonly labels: Labels; readonly reportedLabels?: Labels }): boolean {
    const all: Labels = { ...labels, ...reportedLabels };
    return this.#requirements.every(({ key, operator, values }) => {
      const value = Object.hasOwn(all, key) ? all[key] : undefined;
      const within = value !== undefined && (values.length === 0 || values.includes(value));
      return operator === 'in' || operator === 'exists' ? within : !within;
    });
  }

  /** The same selector for a placement or a stage. */
  toSelector(): SelectorFields {
    // Two different values can be required of one label, and then nothing matches; a map would lose the first.
    const isPlain = ({ key, operator, values }: Requirement): boolean =>
      operator === 'in' && values.length === 1 && this.#requirements.filter((each) => each.key === key).length === 1;
    const plain = this.#requirements.filter(isPlain).map(({ key, values }) => [key, values[0] ?? '']);
    const others = this.#requirements.filter((requirement) => !isPlain(requirement)).map(toExpression);
    return {
      ...(plain.length === 0 ? {} : { matchLabels: Object.fromEntries(plain) as Labels }),
      ...(others.length === 0 ? {} : { matchExpressions: others }),
    };
  }

  /** The same selector for the platform, in CEL. */
  toFilter(): string {
    return this.#requirements.map(toCel).join(' && ');
  }
}

function parseRequirement(part: string, flag: string): Requirement {
  const equal = EQUAL.exec(part)?.groups;
  if (equal)
    return { key: equal['key'] ?? '', operator: equal['not'] ? 'notIn' : 'in', values: [equal['value'] ?? ''] };
  const set = SET.exec(part)?.groups;
  if (set) {
    const values = (set['values'] ?? '').split(',').map((value) => value.trim());
    return { key: set['key'] ?? '', operator: set['not'] ? 'notIn' : 'in', values };
  }
  const present = PRESENT.exec(part)?.groups;
  if (present) return { key: present['key'] ?? '', operator: present['not'] ? 'absent' : 'exists', values: [] };
  throw new UsageError(
    `${flag}: "${part}" is not a requirement such as env=prod, env!=prod, env in (a,b), env or !env`,
  );
}

const OPERATORS = { in: 'In', notIn: 'NotIn', exists: 'Exists', absent: 'DoesNotExist' } as const;

function toExpression({ key, operator, values }: Requirement) {
  return { key, operator: OPERATORS[operator], ...(values.length === 0 ? {} : { values }) };
}

/** A missing label has no value, so `!=` and `notin` match it. */
function toCel({ key, operator, values }: Requirement): string {
  const field = key.startsWith(REPORTED) ? 'reportedLabels' : 'labels';
  const name = JSON.stringify(key);
  const present = `${name} in ${field}`;
  if (operator === 'exists') return present;
  if (operator === 'absent') return `!(${present})`;
  const equal = values.map((value) => `${field}[${name}] == ${JSON.stringify(value)}`).join(' || ');
  return operator === 'in' ? `(${present} && (${equal}))` : `!(${present} && (${equal}))`;
}
