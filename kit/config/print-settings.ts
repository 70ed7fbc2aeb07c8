import { describeOrigin } from './origin.ts';
import type { Resolved } from './resolve-settings.ts';
import { camel, mayComeFrom, type Setting, type Settings } from './setting.ts';

/**
 * The effective settings as a YAML file that yields the same values when read. Settings that may hold a secret are
 * commented out.
 */
export function printSettings<S extends Settings>(settings: S, resolved: Resolved<S>): string {
  const values: Readonly<Record<string, unknown>> = resolved.values;
  const origins: Readonly<Record<string, Resolved<S>['origins'][keyof S & string]>> = resolved.origins;
  const lines = Object.entries(settings)
    .filter(([, setting]) => mayComeFrom(setting, 'file'))
    .map(([name, setting]) => {
      const origin = describeOrigin(origins[name] ?? { kind: 'default' });
      if (setting.default === undefined && origin === 'default') return [`# ${name}:`, setting.unset ?? 'not set'];
      return [line(name, setting, values[camel(name)]), origin];
    });
  const column = Math.max(...lines.map(([text = '']) => text.length));
  return lines.map(([text = '', origin]) => `${text.padEnd(column)}  # ${origin}\n`).join('');
}

function line(name: string, { kind }: Setting, value: unknown): string {
  return `${kind.secret ? '# ' : ''}${name}: ${JSON.stringify(kind.print(value))}`;
}
