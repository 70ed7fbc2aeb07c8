import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { followLogin } from '#testing/oidc/follow-login';
import { PATIENCE_MS } from '#testing/patience';
import { startCommand } from '../../apps/cli/testing/processes.ts';

/** Runs `fleetshift login` in a process of its own, and opens the printed URL as a person would. */
export async function loginWithCli(args: readonly string[], config: string): Promise<{ code: number; said: string }> {
  const child = startCommand(['login', ...args], { FLEETSHIFT_CONFIG: config });
  child.stdout.resume();
  const closed = once(child, 'close');
  let said = '';
  let page: Promise<unknown> | undefined;
  for await (const line of createInterface({ input: child.stderr })) {
    said += `${line}\n`;
    const address = /^ {2}(http\S+)$/.exec(line)?.[1];
    if (address !== undefined) page = followLogin(address, AbortSignal.timeout(PATIENCE_MS));
  }
  await page;
  const [code] = (await closed) as [number | null];
  return { code: code ?? -1, said };
}
