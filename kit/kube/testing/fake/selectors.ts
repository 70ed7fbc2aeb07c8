import type { KubeObject } from '../../client/kube-object.ts';
import { badRequest } from './refused.ts';

export type Matches = (object: KubeObject) => boolean;

export function selecting(labelSelector: string, fieldSelector: string): Matches {
  const rules = [...split(labelSelector).map(labelRule), ...split(fieldSelector).map(fieldRule)];
  return (object) => rules.every((rule) => rule(object));
}

/** Splits at commas outside of parentheses. */
function split(selector: string): string[] {
  return selector
    .split(/,(?![^(]*\))/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function labelRule(text: string): Matches {
  const set = /^(\S+)\s+(in|notin)\s+\(([^)]*)\)$/.exec(text);
  if (set) {
    const [, key = '', operator, list = ''] = set;
    const values = list.split(',').map((value) => value.trim());
    return (object) => values.includes(label(object, key) ?? '\0') === (operator === 'in');
  }
  if (/^![^\s=]+$/.test(text)) return (object) => label(object, text.slice(1)) === undefined;
  if (/^[^\s=!]+$/.test(text)) return (object) => label(object, text) !== undefined;
  const { key, equal, value } = comparison(text);
  return (object) => (label(object, key) === value) === equal;
}

function fieldRule(text: string): Matches {
  const { key, equal, value } = comparison(text);
  return (object) => (fieldOf(object, key) === value) === equal;
}

function comparison(text: string): { key: string; equal: boolean; value: string } {
  const [, key, operator, value = ''] = /^([^\s=!]+)\s*(==|=|!=)\s*(\S*)$/.exec(text) ?? [];
  if (key === undefined) throw badRequest(`cannot read the selector ${text}`);
  return { key, equal: operator !== '!=', value };
}

function label({ metadata }: KubeObject, key: string): string | undefined {
  return metadata.labels?.[key];
}

function fieldOf(object: KubeObject, path: string): string {
  let at: unknown = object;
  for (const step of path.split('.'))
    at = typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[step] : undefined;
  return typeof at === 'string' || typeof at === 'number' || typeof at === 'boolean' ? String(at) : '';
}
