import { type Labels, labelFaults, parseResourceName, parseUuid } from '#kit/std';
import { type Row, sql } from '#kit/storage';
import type { ServiceAccount } from '../../domain/service-account.ts';
import { invalidRow, optionalText, storedObject, storedText } from './stored-json.ts';

export const ACCOUNT_COLUMNS = sql.raw(
  'workspace, name, uid, display_name, labels, disabled, generation, version, create_time, update_time',
);

export function toAccount(row: Row): ServiceAccount {
  const what = `service account ${String(row['workspace'])}/${String(row['name'])}`;
  return {
    workspace: parseResourceName(String(row['workspace'])),
    name: parseResourceName(String(row['name'])),
    uid: parseUuid(String(row['uid'])),
    displayName: optionalText(row['display_name'], what),
    labels: toLabels(String(row['labels']), what),
    disabled: row['disabled'] === 1,
    generation: Number(row['generation']),
    version: Number(row['version']),
    createTime: Number(row['create_time']),
    updateTime: Number(row['update_time']),
  };
}

function toLabels(text: string, what: string): Labels {
  const entries = Object.entries(storedObject(text, what)).map(
    ([key, value]) => [key, storedText(value, what)] as const,
  );
  const labels = Object.fromEntries(entries);
  if (labelFaults(labels).length > 0) throw invalidRow(what);
  return labels;
}
