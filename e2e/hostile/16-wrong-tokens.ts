import { type Attack, heldOff, succeeded } from './attack.ts';

const TRIES = 1_300;
const AT_ONCE = 20;

export const wrongTokens: Attack = {
  finding: 16,
  name: 'wrong tokens from an address keep out valid ones',
  run: async ({ home }) => {
    const platform = await home.start();
    const seen = new Map<number, number>();
    const tries = Array.from({ length: TRIES }).keys();
    const worker = async (): Promise<void> => {
      for (const nth of tries) {
        const answer = await fetch(`${platform.url}/v1/workspaces`, {
          headers: { authorization: `Bearer fst_${nth}` },
        });
        await answer.arrayBuffer();
        seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    if (!seen.has(429) || !seen.has(401))
      throw new Error(`wrong tokens were answered with ${[...seen.keys()].join(', ')}`);
    const { status } = await platform.request('/v1/workspaces');
    if (status === 429) return succeeded(`after ${TRIES} wrong tokens the administrator's own is answered with 429`);
    if (status !== 200) throw new Error(`the administrator is answered with ${status}`);
    return heldOff(`${seen.get(429)} wrong tokens were answered with 429, the valid one with 200`);
  },
};
