import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { createSigningRequest } from '#kit/pki';
import type { Platform } from '#testing/platform-process';
import { made } from './callers.ts';

/** Enrols a fleetlet into the workspace that serves a new target of this name. The target is created in the same workspace. */
export async function addFleetlet(platform: Platform, workspace: string, target: string): Promise<string> {
  const { token } = await made(platform, `/v1/workspaces/${workspace}/bootstrap-tokens`, { name: `for-${target}` });
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const csr = createSigningRequest(privateKey, 'somebody');
  const body = { token, csr, targets: [{ name: target, type: 'directory' }] };
  const answer = await platform.request('/v1/enroll', { method: 'POST', body });
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  return (JSON.parse(text) as { name: string }).name;
}
