import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { type Attack, heldOff, succeeded } from './attack.ts';

export const backToPlainHttp: Attack = {
  finding: 22,
  name: 'a browser that knows the platform by TLS is led to plain HTTP',
  run: async ({ home }) => {
    const { tlsUrl } = await home.start();
    const { hostname: host, port } = new URL(tlsUrl);
    const headers = { host: 'fleetshift.example.com' };
    const asked = request({ host, port, path: '/login', headers, rejectUnauthorized: false, agent: false });
    asked.end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    answer.resume();
    if (answer.statusCode !== 200) throw new Error(`the page to log in is answered with ${answer.statusCode}`);
    const told = answer.headers['strict-transport-security'];
    return told === undefined ? succeeded('answers do not tell it to keep to TLS') : heldOff(`it is told ${told}`);
  },
};
