import { readFileSync } from 'node:fs';
import { defineWorkflow, type Json } from '#kit/durable';

export const readsAFile = defineWorkflow<null, Json>('reads-a-file', async () => readFileSync('/etc/hostname', 'utf8'));
