import assert from 'node:assert/strict';
import type { Platform } from '#testing/platform-process';
import { type Attack, heldOff, succeeded } from './attack.ts';

const KEYS = 34_000;
/** Parsing it in one go blocks the platform for a third of a second; comparing all keys with each other, for many seconds. */
const FROZEN_MS = 6_000;

/** The longest wait for `/healthz` by an anonymous caller while the request was open. */
async function longestWait(platform: Platform, request: Promise<Response>): Promise<number> {
  let isOpen = true;
  // Whether and how it was answered does not count: a frozen platform may not answer in time.
  const over = request
    .catch(() => undefined)
    .finally(() => {
      isOpen = false;
    });
  let longest = 0;
  while (isOpen) {
    const began = performance.now();
    // A frozen platform also drops connections: the wait counts all the same.
    await fetch(`${platform.url}/healthz`).then(
      (answer) => answer.text(),
      () => undefined,
    );
    longest = Math.max(longest, performance.now() - began);
  }
  await over;
  return longest;
}

export const quadraticYaml: Attack = {
  finding: 5,
  name: 'a template with many keys, sent as a dry run, stops the platform for everyone',
  run: async ({ home }) => {
    const platform = await home.start();
    const create = (template: string): Promise<Response> =>
      platform.request('/v1/workspaces/root/deployments?dryRun=true', {
        method: 'POST',
        body: {
          name: 'keys',
          manifest: { type: 'template', template },
          placement: [{ type: 'selector', matchLabels: { a: 'b' } }],
        },
      });
    const small = await create('apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b}\n');
    assert.equal(small.status, 201, await small.text());
    const keys = Array.from({ length: KEYS }, (_, n) => `  k${n}: a\n`).join('');
    const waited = await longestWait(
      platform,
      create(`apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b}\ndata:\n${keys}`),
    );
    const evidence = `another caller waited up to ${Math.round(waited)} ms for /healthz`;
    return waited > FROZEN_MS ? succeeded(evidence) : heldOff(evidence);
  },
};
