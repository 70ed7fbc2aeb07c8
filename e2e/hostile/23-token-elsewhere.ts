import assert from 'node:assert/strict';
import { runCommand } from '../../apps/cli/testing/processes.ts';
import { serveOnLoopback } from '../scripted-cluster.ts';
import { type Attack, heldOff, succeeded } from './attack.ts';

export const tokenElsewhere: Attack = {
  finding: 23,
  name: 'another program on the machine is sent the token of the administrator by the CLI',
  run: async ({ home }) => {
    const platform = await home.start();
    const shown: string[] = [];
    let requests = 0;
    const impostor = await serveOnLoopback((request, response) => {
      requests += 1;
      shown.push(request.headers.authorization ?? '');
      response.writeHead(401, { 'content-type': 'application/json' }).end('{}');
    });
    try {
      const whoami = (server: string) => runCommand(['whoami', '--server', server, '--data', home.data]);
      const own = await whoami(platform.url);
      assert.equal(own.code, 0, own.err);
      await whoami(impostor.url);
      assert.ok(requests > 0, 'the impostor was asked');
      return shown.some((header) => header.includes(platform.token))
        ? succeeded(`a program at ${impostor.url} was sent the token of the administrator`)
        : heldOff('the platform of the folder is asked with its token, another address without');
    } finally {
      await impostor.close();
    }
  },
};
