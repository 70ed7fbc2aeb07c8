import type { CommandEntry } from './command.ts';
import { GET, VERSION } from './quick-commands.ts';

export type { CommandEntry } from './command.ts';

/** In the order of the help. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'serve',
    summary: 'run the platform: REST API, events and documentation',
    load: async () => (await import('./commands/processes/serve.ts')).serve,
  },
  {
    name: 'demo',
    summary: 'run a platform with a sample fleet',
    load: async () => (await import('./commands/processes/demo.ts')).demo,
  },
  {
    name: 'fleetlet',
    summary: 'run a fleetlet: connect processes of this machine to a platform',
    load: async () => (await import('./commands/processes/fleetlet.ts')).fleetlet,
  },
  {
    name: 'agent',
    summary: 'run an agent: deliver to folders of this machine or to Kubernetes clusters',
    load: async () => (await import('./commands/processes/agent.ts')).agent,
  },
  {
    name: 'crs',
    summary: 'run the ClusterResourceSet controller for Cluster API',
    load: async () => (await import('./commands/processes/crs.ts')).crs,
  },
  {
    name: 'login',
    summary: 'log in to a platform and save the login',
    load: async () => (await import('./commands/session/login.ts')).login,
  },
  {
    name: 'logout',
    summary: 'log out, here and at the platform',
    load: async () => (await import('./commands/session/logout.ts')).logout,
  },
  {
    name: 'auth',
    summary: 'print your login as a Kubernetes credential',
    load: async () => (await import('./commands/session/auth.ts')).auth,
  },
  {
    name: 'kubeconfig',
    summary: 'give kubectl access to clusters through the platform',
    load: async () => (await import('./commands/session/kubeconfig.ts')).kubeconfig,
  },
  {
    name: 'whoami',
    summary: 'show the current identity',
    load: async () => (await import('./commands/session/whoami.ts')).whoami,
  },
  {
    name: 'config',
    summary: 'list and choose contexts',
    load: async () => (await import('./commands/session/config.ts')).config,
  },
  GET,
  {
    name: 'describe',
    summary: 'show resources in detail',
    load: async () => (await import('./commands/resources/describe.ts')).describe,
  },
  {
    name: 'apply',
    summary: 'apply documents',
    load: async () => (await import('./commands/resources/apply.ts')).apply,
  },
  {
    name: 'delete',
    summary: 'delete resources',
    load: async () => (await import('./commands/resources/delete.ts')).deleteThings,
  },
  {
    name: 'deploy',
    summary: 'create a deployment, or roll out its next version',
    load: async () => (await import('./commands/workloads/deploy.ts')).deploy,
  },
  {
    name: 'preview',
    summary: 'preview the changes of a deployment on each target',
    load: async () => (await import('./commands/workloads/preview.ts')).preview,
  },
  {
    name: 'diff',
    summary: 'show what differs from what the targets have',
    load: async () => (await import('./commands/workloads/diff.ts')).diff,
  },
  {
    name: 'rollout',
    summary: 'show and control a rollout',
    load: async () => (await import('./commands/workloads/rollout.ts')).rollout,
  },
  {
    name: 'revisions',
    summary: 'list past rollouts and their changes',
    load: async () => (await import('./commands/workloads/revisions.ts')).revisions,
  },
  {
    name: 'events',
    summary: 'watch events',
    load: async () => (await import('./commands/resources/events.ts')).events,
  },
  {
    name: 'timeline',
    summary: 'show what happened in a rollout, and when',
    load: async () => (await import('./commands/workloads/timeline.ts')).timeline,
  },
  {
    name: 'label',
    summary: 'set and remove labels',
    load: async () => (await import('./commands/resources/label.ts')).label,
  },
  {
    name: 'move',
    summary: 'move a workspace with everything in it',
    load: async () => (await import('./commands/resources/move.ts')).move,
  },
  {
    name: 'assign',
    summary: 'move targets to another workspace',
    load: async () => (await import('./commands/targets/assign.ts')).assign,
  },
  {
    name: 'target',
    summary: 'add machines and clusters; cordon and uncordon targets',
    load: async () => (await import('./commands/targets/target.ts')).target,
  },
  {
    name: 'cordon',
    summary: 'stop new deployments to targets; existing ones stay',
    load: async () => (await import('./commands/targets/cordon.ts')).cordon,
  },
  {
    name: 'uncordon',
    summary: 'allow new deployments to targets again',
    load: async () => (await import('./commands/targets/cordon.ts')).uncordon,
  },
  {
    name: 'grant',
    summary: 'grant a role or a permission',
    load: async () => (await import('./commands/access/grant.ts')).grant,
  },
  {
    name: 'revoke',
    summary: 'revoke a grant',
    load: async () => (await import('./commands/access/revoke.ts')).revoke,
  },
  {
    name: 'can-i',
    summary: 'check whether you or another subject have a permission',
    load: async () => (await import('./commands/access/can-i.ts')).canI,
  },
  {
    name: 'explain-access',
    summary: 'explain why a subject has a permission or not',
    load: async () => (await import('./commands/access/explain-access.ts')).explainAccess,
  },
  {
    name: 'where-can-i',
    summary: 'list resources on which you or another subject have a permission',
    load: async () => (await import('./commands/access/where-can-i.ts')).whereCanI,
  },
  {
    name: 'who-can',
    summary: 'list subjects that have a permission',
    load: async () => (await import('./commands/access/who-can.ts')).whoCan,
  },
  {
    name: 'revoke-sessions',
    summary: 'log a user out everywhere',
    load: async () => (await import('./commands/access/revoke-sessions.ts')).revokeSessions,
  },
  {
    name: 'token',
    summary: 'create, rotate and revoke tokens of service accounts',
    load: async () => (await import('./commands/access/token.ts')).token,
  },
  {
    name: 'authority',
    summary: 'manage the certificate authorities of fleetlets',
    load: async () => (await import('./commands/access/authority.ts')).authority,
  },
  {
    name: 'audit',
    summary: 'show the audit log and verify its integrity',
    load: async () => (await import('./commands/operate/audit.ts')).audit,
  },
  {
    name: 'workflow',
    summary: 'show and control workflows',
    load: async () => (await import('./commands/operate/workflow.ts')).workflow,
  },
  {
    name: 'dead-letter',
    summary: 'show, replay and discard what could not be processed',
    load: async () => (await import('./commands/operate/dead-letter.ts')).deadLetter,
  },
  {
    name: 'admin-login',
    summary: 'create a one-time login for a platform on this machine',
    load: async () => (await import('./commands/operate/admin-login.ts')).adminLogin,
  },
  {
    name: 'admin-token',
    summary: 'rotate the static administrator token of a platform on this machine',
    load: async () => (await import('./commands/operate/admin-token.ts')).adminToken,
  },
  {
    name: 'keys',
    summary: 'manage the encryption keys of a platform on this machine',
    load: async () => (await import('./commands/operate/keys.ts')).keys,
  },
  {
    name: 'backup',
    summary: 'back up a platform into one encrypted file',
    load: async () => (await import('./commands/operate/backup.ts')).backup,
  },
  {
    name: 'restore',
    summary: 'create a platform from a backup',
    load: async () => (await import('./commands/operate/restore.ts')).restore,
  },
  {
    name: 'completion',
    summary: 'print the completion script of a shell',
    load: async () => (await import('./commands/completion.ts')).completion,
  },
  {
    name: '__complete',
    summary: 'print completions; called by shells',
    hidden: true,
    load: async () => (await import('./commands/complete.ts')).completeAmong(COMMANDS),
  },
  VERSION,
];
