import { it } from 'node:test';
import { freshNamespace } from '../../../testing/temporal/test-namespace.ts';
import { durableContract } from '../testing/durable-contract.ts';
import { temporalHarness } from './testing/temporal-harness.ts';

const namespace = await freshNamespace();
if (namespace === undefined) it('keeps the contract on Temporal', { skip: 'there is no Go to build a server with' });
else durableContract('Temporal', { noticesTimersAndChildren: false }, async () => temporalHarness(namespace));
