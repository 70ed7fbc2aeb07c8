import { readFileSync } from 'node:fs';
import type { Payload } from '#kit/durable';
import { defineWorkflow } from '#kit/durable';

export const readsAFile = defineWorkflow<null, Payload>('reads-a-file', async () =>
  readFileSync('/etc/hostname', 'utf8'),
);
