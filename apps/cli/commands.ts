import type { CommandEntry } from './command.ts';
import { GET, VERSION } from './quick-commands.ts';

export type { CommandEntry } from './command.ts';

/** In the order in which help lists them. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'serve',
    summary: 'run the platform: REST API, events and documentation',
    load: async () => (await import('./commands/serve.ts')).serve,
  },
  {
    name: 'demo',
    summary: 'run a platform with a fleet to try it on',
    load: async () => (await import('./commands/demo.ts')).demo,
  },
  {
    name: 'fleetlet',
    summary: 'run a fleetlet: connect the processes of this machine to a platform',
    load: async () => (await import('./commands/fleetlet.ts')).fleetlet,
  },
  {
    name: 'agent',
    summary: 'run an agent: deliver to folders of this machine, or to Kubernetes clusters',
    load: async () => (await import('./commands/agent.ts')).agent,
  },
  {
    name: 'crs',
    summary: 'run the ClusterResourceSet controller for clusters of Cluster API',
    load: async () => (await import('./commands/crs.ts')).crs,
  },
  {
    name: 'login',
    summary: 'log in to a platform, and keep the login',
    load: async () => (await import('./commands/login.ts')).login,
  },
  {
    name: 'logout',
    summary: 'end the login, here and at the platform',
    load: async () => (await import('./commands/logout.ts')).logout,
  },
  {
    name: 'auth',
    summary: 'show your login to programs, as kubectl wants it',
    load: async () => (await import('./commands/auth.ts')).auth,
  },
  {
    name: 'kubeconfig',
    summary: 'let kubectl reach clusters through the platform',
    load: async () => (await import('./commands/kubeconfig.ts')).kubeconfig,
  },
  {
    name: 'whoami',
    summary: 'show who the platform takes you for',
    load: async () => (await import('./commands/whoami.ts')).whoami,
  },
  {
    name: 'config',
    summary: 'look at the platforms that you know, and choose one',
    load: async () => (await import('./commands/config.ts')).config,
  },
  GET,
  {
    name: 'describe',
    summary: 'show things with what is around them',
    load: async () => (await import('./commands/describe.ts')).describe,
  },
  {
    name: 'apply',
    summary: 'make things what documents say',
    load: async () => (await import('./commands/apply.ts')).apply,
  },
  {
    name: 'delete',
    summary: 'delete things',
    load: async () => (await import('./commands/delete.ts')).deleteThings,
  },
  {
    name: 'deploy',
    summary: 'make a deployment, or bring out its next version',
    load: async () => (await import('./commands/deploy.ts')).deploy,
  },
  {
    name: 'preview',
    summary: 'see what a deployment would change on which target',
    load: async () => (await import('./commands/preview.ts')).preview,
  },
  {
    name: 'rollout',
    summary: 'look at a rollout, and steer it',
    load: async () => (await import('./commands/rollout.ts')).rollout,
  },
  {
    name: 'revisions',
    summary: 'see what was rolled out, and what it changed',
    load: async () => (await import('./commands/revisions.ts')).revisions,
  },
  {
    name: 'events',
    summary: 'follow what happens',
    load: async () => (await import('./commands/events.ts')).events,
  },
  {
    name: 'timeline',
    summary: 'see what happened in a rollout, and when',
    load: async () => (await import('./commands/timeline.ts')).timeline,
  },
  {
    name: 'label',
    summary: 'set and remove labels of a thing',
    load: async () => (await import('./commands/label.ts')).label,
  },
  {
    name: 'move',
    summary: 'move a workspace, with all that is in it',
    load: async () => (await import('./commands/move.ts')).move,
  },
  {
    name: 'assign',
    summary: 'move targets to another workspace',
    load: async () => (await import('./commands/assign.ts')).assign,
  },
  {
    name: 'target',
    summary: 'let machines and clusters come in; cordon and uncordon targets',
    load: async () => (await import('./commands/target.ts')).target,
  },
  {
    name: 'cordon',
    summary: 'let targets keep what they have, and get nothing new',
    load: async () => (await import('./commands/cordon.ts')).cordon,
  },
  {
    name: 'uncordon',
    summary: 'let targets get new things again',
    load: async () => (await import('./commands/cordon.ts')).uncordon,
  },
  {
    name: 'grant',
    summary: 'grant a role or a permission',
    load: async () => (await import('./commands/grant.ts')).grant,
  },
  {
    name: 'revoke',
    summary: 'take a grant back',
    load: async () => (await import('./commands/revoke.ts')).revoke,
  },
  {
    name: 'can-i',
    summary: 'ask whether you, or somebody, may do something',
    load: async () => (await import('./commands/can-i.ts')).canI,
  },
  {
    name: 'explain-access',
    summary: 'ask why somebody may do something, or why not',
    load: async () => (await import('./commands/explain-access.ts')).explainAccess,
  },
  {
    name: 'where-can-i',
    summary: 'ask what you, or somebody, may do something to',
    load: async () => (await import('./commands/where-can-i.ts')).whereCanI,
  },
  {
    name: 'who-can',
    summary: 'ask who may do something',
    load: async () => (await import('./commands/who-can.ts')).whoCan,
  },
  {
    name: 'revoke-sessions',
    summary: 'log a user out everywhere',
    load: async () => (await import('./commands/revoke-sessions.ts')).revokeSessions,
  },
  {
    name: 'token',
    summary: 'make, rotate and revoke tokens of service accounts',
    load: async () => (await import('./commands/token.ts')).token,
  },
  {
    name: 'authority',
    summary: 'look after the authorities that vouch for fleetlets',
    load: async () => (await import('./commands/authority.ts')).authority,
  },
  {
    name: 'audit',
    summary: 'see who did what, and whether the record is whole',
    load: async () => (await import('./commands/audit.ts')).audit,
  },
  {
    name: 'workflow',
    summary: 'look at what a platform executes durably, and steer it',
    load: async () => (await import('./commands/workflow.ts')).workflow,
  },
  {
    name: 'admin-login',
    summary: 'make a one-time login for a platform on this machine',
    load: async () => (await import('./commands/admin-login.ts')).adminLogin,
  },
  {
    name: 'admin-token',
    summary: 'rotate the static token of the administrator of a platform on this machine',
    load: async () => (await import('./commands/admin-token.ts')).adminToken,
  },
  {
    name: 'keys',
    summary: 'look after the keys of a platform on this machine',
    load: async () => (await import('./commands/keys.ts')).keys,
  },
  {
    name: 'backup',
    summary: 'write a platform into one encrypted file',
    load: async () => (await import('./commands/backup.ts')).backup,
  },
  {
    name: 'restore',
    summary: 'make a platform from a backup',
    load: async () => (await import('./commands/restore.ts')).restore,
  },
  {
    name: 'completion',
    summary: 'write what a shell needs to complete commands',
    load: async () => (await import('./commands/completion.ts')).completion,
  },
  {
    name: '__complete',
    summary: 'what may stand next; asked by shells',
    hidden: true,
    load: async () => (await import('./commands/complete.ts')).completeAmong(COMMANDS),
  },
  VERSION,
];
