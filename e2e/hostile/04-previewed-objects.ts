import { eventually } from '../../kit/durable/testing/eventually.ts';
import { ask, made } from '../access/callers.ts';
import { type Attack, heldOff, succeeded } from './attack.ts';
import { DEPLOYMENTS, withStoredCluster } from './stored-cluster.ts';

const MARKED = 'canary-marked-4715';
const SECRET = 'canary-secret-4716';

const manifest = (login: unknown, { password, mode }: { readonly password: string; readonly mode: string }) => ({
  type: 'inline',
  documents: [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'app', namespace: 'default' }, data: { login, mode } },
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'db', namespace: 'default' }, stringData: { password } },
  ],
});
const DELIVERED = {
  name: 'web',
  manifest: manifest({ $secret: MARKED }, { password: SECRET, mode: 'plain' }),
  placement: [{ type: 'all' }],
};
const seenIn = (text: string): string[] => [MARKED, SECRET, btoa(SECRET)].filter((canary) => text.includes(canary));

/** The same attack on a cluster: its agent compares with the live objects. */
export const previewObjects: Attack = {
  finding: 4,
  name: 'a deployer reads secrets of objects in a cluster in a deep preview',
  run: (stage) =>
    withStoredCluster(stage, {}, async ({ platform, tokenOf }) => {
      await made(platform, DEPLOYMENTS, DELIVERED);
      await eventually('the deployment in the cluster', async () => {
        const answer = await platform.request(`${DEPLOYMENTS}/web`);
        const { status } = (await answer.json()) as { readonly status: { readonly rollout?: { outcome?: string } } };
        return status.rollout?.outcome === 'Succeeded';
      });
      const body = { manifest: manifest('x', { password: 'y', mode: 'other' }) };
      const path = `${DEPLOYMENTS}/web:preview?deep=true`;
      const answer = await ask(platform, await tokenOf('deployer'), path, { method: 'POST', body });
      const text = await answer.text();
      // The agent has answered, and shows the parts that are not secret.
      if (!text.includes('data.mode')) throw new Error(`no deep preview: ${answer.status} ${text}`);
      const seen = seenIn(text);
      return seen.length > 0
        ? succeeded(`the preview shows ${seen.join(', ')}`)
        : heldOff('the preview hides all of them');
    }),
};

/** API servers and webhooks quote the objects they refuse; viewers of a deployment may not read its Secrets. */
export const quotedRefusals: Attack = {
  finding: 4,
  name: 'a viewer, or a reader of the log, reads secrets in what an API server says when it does not take them',
  run: (stage) => {
    const refuses = (object: { readonly kind: string }) => {
      const quote = JSON.stringify(object);
      return object.kind === 'Secret'
        ? { code: 500, reason: 'InternalError', message: `etcdserver: no space for ${quote}` }
        : { code: 403, reason: 'Forbidden', message: `admission webhook "policy" denied the request: ${quote}` };
    };
    return withStoredCluster(stage, { refuses }, async ({ platform, tokenOf }) => {
      const viewer = await tokenOf('viewer');
      const [map, secret] = DELIVERED.manifest.documents;
      for (const [name, document] of Object.entries({ refused: map, failing: secret })) {
        await made(platform, DEPLOYMENTS, { ...DELIVERED, name, manifest: { type: 'inline', documents: [document] } });
      }
      const told = async (name: string, word: string): Promise<string> =>
        await eventually(`the viewer to be told of ${word}`, async () => {
          const text = await (await ask(platform, viewer, `${DEPLOYMENTS}/${name}/targets`)).text();
          return text.includes(word) && text;
        });
      const text = (await told('refused', 'admission webhook')) + (await told('failing', 'etcdserver'));
      const [shown, logged] = [seenIn(text), seenIn(platform.said())];
      return shown.length + logged.length > 0
        ? succeeded(`the viewer reads ${shown.join(', ')}; the log has ${logged.join(', ')}`)
        : heldOff('both say that it was not taken, and hide what it was');
    });
  },
};
