import assert from 'node:assert/strict';
import { readGoYaml } from '../../contexts/cluster-resource-sets/adapters/read-go-yaml.ts';
import { readTemplateText } from '../../contexts/orchestration/adapters/read-template-text.ts';
import { templateManifest } from '../../contexts/orchestration/domain/manifest/template/template-manifest.ts';
import { aContext } from '../../contexts/orchestration/domain/manifest/testing/a-template.ts';
import { mergeKubeconfigs, readKubeconfig } from '../../kit/kube/config/kubeconfig-document.ts';
import { KubeError, parseKubeConfig } from '../../kit/kube/index.ts';
import { parseYaml, readYaml, YamlError, yamlValue } from '../../kit/yaml/index.ts';
import type { FuzzTarget } from './fuzz-target.ts';
import { refusing } from './refusing.ts';

const YAML_WORDS = [
  ': ',
  '- ',
  '? ',
  '[',
  ']',
  '{',
  '}',
  '\n',
  '\n  ',
  '"',
  "'",
  '|\n',
  '>-\n',
  '&a ',
  '*a',
  '!!str ',
  '!t ',
  '# ',
  '---\n',
  '...\n',
  '%YAML 1.1\n',
  '<<',
  '~',
  '0x1',
  '\t',
  '\\n',
  'a: b\n',
  '\ufeff',
];
const YAML_SEEDS = [
  'a: 1\nb: [x, "y", \'z\']\nc: {d: ~, e: true}\n',
  'a: &x {k: 1}\nb: *x\n---\n- |\n  text\n- >-\n  folded\n  text\n',
  '? a\n: b\n"c": !!str 1\n# end\n',
  'a: 1\na: 2\n',
  'a: &x [*x]\nb: *y\n',
  '? [a]\n: 1\n',
];
const templates = templateManifest({ readText: readTemplateText });

function kubeconfig(cluster: string, user: string): string {
  const parts = `clusters: [{name: c, cluster: {${cluster}}}]\nusers: [{name: u, user: {${user}}}]`;
  return `current-context: a\n${parts}\ncontexts: [{name: a, context: {cluster: c, user: u}}]\n`;
}

export const YAML_TARGETS: readonly FuzzTarget[] = [
  {
    name: 'yaml',
    files: ['/kit/yaml/'],
    libraries: ['/node_modules/yaml/'],
    seeds: YAML_SEEDS,
    words: YAML_WORDS,
    run: (input) => {
      const text = input.toString();
      const { documents } = readYaml(text);
      for (const document of documents) {
        if (document.errors.length === 0) JSON.stringify(yamlValue(document));
      }
      refusing(YamlError, () => parseYaml(text, { limits: { tokens: 500, depth: 8, references: 4, expansion: 100 } }));
      readGoYaml(text);
    },
  },
  {
    name: 'template',
    files: [
      '/read-template-text.ts',
      '/manifest/template/parse',
      '/template/tokens.ts',
      '/template/compile-template.ts',
      '/template/template-position.ts',
    ],
    libraries: ['/manifest/template/', '/node_modules/yaml/'],
    seeds: [
      'kind: A\ntext: "hi ${target.name} $${x} ${values.a[0].b ?? 1}"\n',
      'a: ${upper("x\\n") + string(1 * -2) == \'y\' && !(target.labels["topology/zone"] != null) ? "p" : json(target)}\n',
      '$when: ${has(target.labels.tier)}\n$each: {i: "${target.properties.list}"}\n"${i}": |\n  one\n  ${valeus.x}\n---\nb: "${\'"\n',
      '- a\n',
      'a: b: c\n',
    ],
    words: [
      ...YAML_WORDS,
      '${',
      '}',
      '$${',
      'target.name',
      'values',
      'has(',
      'default(',
      ')',
      '"',
      '==',
      '&&',
      '?',
      '1.5',
      '$when: ',
      '$each: ',
    ],
    run: (input) => {
      const parsed = templates.parse({ type: 'template', template: input.toString() }, '/manifest');
      if (parsed.kind === 'parsed') templates.generate(parsed.value, aContext());
      else assert.ok(parsed.faults.length > 0);
    },
  },
  {
    name: 'kubeconfig',
    files: [
      '/kit/kube/config/kubeconfig-document.ts',
      '/kit/kube/config/fields.ts',
      '/kit/kube/config/resolve-kube-config.ts',
    ],
    libraries: ['/kit/kube/config/', '/kit/yaml/'],
    seeds: [
      'apiVersion: v1\nkind: Config\ncurrent-context: a\nclusters: [{name: c, cluster: {server: "https://h:1/p", certificate-authority-data: QUJD, insecure-skip-tls-verify: false, tls-server-name: n, proxy-url: "http://p"}}]\nusers: [{name: u, user: {token: t}}]\ncontexts: [{name: a, context: {cluster: c, user: u, namespace: n}}]\n',
      'kind: Other\n',
      'current-context: a\nclusters:\n- name: c\n  cluster: {server: "http://h"}\nusers:\n- name: u\n  user: {username: a, password: b}\ncontexts:\n- name: a\n  context: {cluster: c, user: u}\n',
      'current-context: a\nclusters: [{name: c, cluster: {server: "https://h", certificate-authority: /x}}]\nusers: [{name: u, user: {client-certificate-data: QQ==, client-key-data: QQ==, exec: {command: x}}}]\ncontexts: [{name: a, context: {cluster: c, user: u}}]\n',
      'clusters: {}\ncontexts: 1\n',
      kubeconfig(
        'server: "https://h", disable-compression: true',
        'token: t, as: u, as-uid: x, as-groups: [g], as-user-extra: {k: [v]}',
      ),
      kubeconfig('server: "https://h", insecure-skip-tls-verify: true, certificate-authority-data: QQ==', 'token: t'),
      kubeconfig('server: "https://h"', 'as-uid: x'),
      kubeconfig('server: "https://h"', 'client-key-data: QQ=='),
      kubeconfig('server: "https://h"', 'client-key-data: QQ==, client-certificate-data: QQ=='),
      kubeconfig('server: "https://h"', 'auth-provider: {name: x}'),
      kubeconfig('server: "https://h"', 'tokenFile: /x'),
      kubeconfig('server: "http://h.example"', 'token: t'),
      kubeconfig('server: "ftp://h", proxy-url: "ftp://p"', 'token: 1'),
      kubeconfig(
        'server: "https://h", proxy-url: "socks5://p"',
        'exec: {apiVersion: client.authentication.k8s.io/v1, command: c, args: [a]}',
      ),
      'clusters: [{cluster: {}}]\n',
      'clusters: [{name: c}, {name: c}]\n',
      'current-context: a\n',
    ],
    words: [
      ...YAML_WORDS,
      'clusters: ',
      'users: ',
      'contexts: ',
      'name: c',
      'cluster: ',
      'server: https://h',
      'exec: ',
      'token: 1',
      'tokenFile: /x',
      'client-key-data: QQ==',
      'auth-provider: {}',
      'as: x',
      'impersonate',
    ],
    run: (input) =>
      refusing(KubeError, () => {
        const document = readKubeconfig(input.toString(), { name: 'a', folder: undefined });
        mergeKubeconfigs([document, document]);
        parseKubeConfig(input.toString());
      }),
  },
];
