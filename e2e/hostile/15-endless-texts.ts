import { Health } from '#protocol/proto';
import { type Attack, heldOff, succeeded } from './attack.ts';
import { DEPLOYMENTS, hostileFleetlet, mustBe } from './hostile-fleetlet.ts';

const ESCAPE = '\u001b';
const LARGE = 4 * 1024 * 1024;
const BOUND = 64 * 1024;

/** An agent's health message used to be stored and shown as it came, whatever its length and characters. */
export const endlessTexts: Attack = {
  finding: 15,
  name: 'a report fills the database and the answers of others, with escapes for their terminals',
  async run({ home }) {
    const platform = await home.start({ flags: ['--fleetlet-heartbeat', '500ms'] });
    const bad = await hostileFleetlet(platform, 'bad');
    try {
      const message = `${ESCAPE}[2Jreport ${'x'.repeat(LARGE)}`;
      const revision = BigInt(bad.fleetlet.orders[0]?.revision ?? 1);
      bad.report({ revision, kind: { case: 'health', value: { health: Health.DEGRADED, message } } });
      let body = '';
      await mustBe('the report is stored', async () => {
        body = await (await platform.request(`${DEPLOYMENTS}/on-bad/targets`)).text();
        return body.includes('[2Jreport');
      });
      const hasEscapes = body.includes('\\u001b') || body.includes(ESCAPE);
      if (body.length > BOUND || hasEscapes) {
        return succeeded(`the answer has ${body.length} characters${hasEscapes ? ', with escapes' : ''}`);
      }
      return heldOff(`the answer has ${body.length} characters, and no escapes`);
    } finally {
      await bad.fleetlet.stop();
    }
  },
};
