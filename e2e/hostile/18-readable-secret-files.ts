import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Attack, heldOff, succeeded } from './attack.ts';
import { deployFile, withDirectoryHost } from './directory-host.ts';

const SECRET = 'shop/secret/db.yaml';
const OPEN = 'shop/configmap/web.yaml';

/** Another user of the host looks into the folder that the agent serves. */
export const readSecretFiles: Attack = {
  finding: 18,
  name: 'another user of a host reads the files of Secrets',
  run: (stage) =>
    withDirectoryHost(stage, async (host) => {
      const metadata = (name: string) => ({ name, namespace: 'shop' });
      const documents = [
        { apiVersion: 'v1', kind: 'Secret', metadata: metadata('db'), stringData: { password: 'x' } },
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata('web'), data: { mode: 'a' } },
      ];
      await deployFile(host, { name: 'web', manifest: { type: 'inline', documents }, file: SECRET });
      const modeOf = async (file: string) => (await stat(join(host.folder, file))).mode & 0o777;
      // Other users may read files that are not secret: the folder is meant to be readable.
      if (((await modeOf(OPEN)) & 0o004) === 0) throw new Error(`${OPEN} is not for others either`);
      const mode = await modeOf(SECRET);
      const evidence = `${SECRET} is ${mode.toString(8)}`;
      return (mode & 0o077) === 0 ? heldOff(evidence) : succeeded(evidence);
    }),
};
