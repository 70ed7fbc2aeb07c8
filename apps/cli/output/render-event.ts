import { printable } from './printable.ts';
import { renderTime } from './render-time.ts';

type Fields = Readonly<Record<string, unknown>>;

/** One line: the time, the type, what it is about, and what it says. */
export function renderEvent(type: string | undefined, raw: unknown): string {
  const { time = '', workspace = '', subject = '', data } = fieldsOf(raw);
  const place = workspace === '' ? '' : ` in ${String(workspace)}`;
  const detail = detailOf(type ?? '', fieldsOf(data));
  return printable(`${renderTime(String(time))}  ${type}  ${String(subject)}${place}${detail && `: ${detail}`}`);
}

/** Targets that are named in a line. */
const NAMED = 3;

function detailOf(type: string, data: Fields): string {
  switch (type) {
    case 'target.connectionChanged':
      return wordIn(fieldsOf(data['connection']), 'state');
    case 'target.placementChanged':
      return `${listOf(data['fields']).join(', ')} changed`;
    case 'target.assigned':
    case 'workspace.moved':
      return [wordIn(data, 'workspace'), wordIn(data, 'parent')]
        .filter(Boolean)
        .map((name) => `to ${name}`)
        .join('');
    case 'delivery.changed':
      return deliveries(data);
    default:
      return type.startsWith('deployment.') || type.startsWith('rollout.') ? rolloutIn(data) : stateIn(data);
  }
}

function rolloutIn(data: Fields): string {
  const status = fieldsOf(data['status']);
  const rollout = fieldsOf(status['rollout']);
  const counts = fieldsOf(status['counts']);
  if (rollout['phase'] === undefined) return stateIn(data);
  const phase = wordIn(rollout, 'outcome') || wordIn(rollout, 'phase');
  const why = wordIn(rollout, 'reason');
  const [available, placed] = [numberIn(counts, 'available'), numberIn(counts, 'placed')];
  const health = placed === undefined ? '' : `, ${available}/${placed} available`;
  return `revision ${numberIn(rollout, 'revision')} ${phase}${why && ` (${why})`}${health}`;
}

function deliveries({ count, targets }: Fields): string {
  const changed = listOf(targets).map(fieldsOf);
  const named = changed.slice(0, NAMED).map((target) => {
    const failure = wordIn(fieldsOf(target['failure']), 'reason');
    const state = failure || wordIn(fieldsOf(target['order']), 'state') || wordIn(fieldsOf(target['health']), 'status');
    return `${wordIn(target, 'target')} ${state}`.trim();
  });
  const rest = Number(count) - named.length;
  return `${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** The state of a resource in one word, where it has one. */
function stateIn(data: Fields): string {
  const about = wordIn(data, 'deployment');
  const state = wordIn(data, 'state') || wordIn(data, 'lifecycle') || wordIn(data, 'role');
  return [about, state].filter(Boolean).join(' ');
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function wordIn(data: Fields, field: string): string {
  const value = data[field];
  return typeof value === 'string' ? value : '';
}

function numberIn(data: Fields, field: string): number | undefined {
  const value = data[field];
  return typeof value === 'number' ? value : undefined;
}
