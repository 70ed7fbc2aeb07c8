import assert from 'node:assert/strict';
import { type Attack, heldOff, succeeded } from './attack.ts';
import { TARGET, withProxiedCluster } from './proxied-cluster.ts';

const PATHS = ['/../two/api/v1/secrets', '/%2e%2e/two/api/v1/secrets', '/x%2f..%2f..%2ftwo/api', '/..%5ctwo'];

export const dotSegments: Attack = {
  finding: 22,
  name: "a deployer leaves a cluster's path at its gateway by dot segments, with the rights of the agent",
  run: (stage) =>
    withProxiedCluster(stage, async ({ deployer, say, arrived }) => {
      const answers: string[] = [];
      for (const path of PATHS) {
        const head = `GET /targets/${TARGET}/api${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${deployer}\r\n`;
        const heard = await say(`${head}Connection: close\r\n\r\n`);
        assert.match(heard, /^HTTP\/1\.1 \d{3} /);
        answers.push(heard.slice(9, 12));
      }
      const left = arrived.filter(({ url }) => /(?:\/|%2f|%5c)two/.test(url));
      return left.length > 0
        ? succeeded(`the gateway was asked for ${left.map(({ url }) => url).join(', ')}`)
        : heldOff(`answered with ${answers.join(', ')}, and nothing arrived`);
    }),
};
