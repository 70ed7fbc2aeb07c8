import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { type Attack, heldOff, succeeded } from './attack.ts';

export const openMetrics: Attack = {
  finding: 22,
  name: 'a stranger on the network reads what the platform counts',
  run: async ({ home }) => {
    const { tlsUrl } = await home.start({ flags: ['--tls-listen', '0.0.0.0:0'] });
    const { port } = new URL(tlsUrl);
    const get = async (path: string): Promise<{ status: number | undefined; body: string }> => {
      const asked = request({ host: '127.0.0.1', port, path, rejectUnauthorized: false, agent: false });
      asked.end();
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      return { status: answer.statusCode, body: await text(answer) };
    };
    const ready = await get('/readyz');
    if (ready.status !== 200) throw new Error(`the listener answers /readyz with ${ready.status}`);
    const { status, body } = await get('/metrics');
    return status === 200 && body.includes('fleetshift_')
      ? succeeded(`${body.split('\n').length} lines without a credential`)
      : heldOff(`/metrics is answered with ${status}`);
  },
};
