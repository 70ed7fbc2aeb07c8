import type { PlatformRequest } from '#testing/platform-process';
import type { SeededRandom } from '#testing/seeded';

/** One request of the administrator. */
export interface Step {
  readonly path: string;
  readonly init: PlatformRequest;
}

/** Deploys to every possible target after an approval, so that it comes to rest before anything is delivered. */
export const DEPLOYMENT = {
  manifest: { type: 'inline', documents: [{ kind: 'Note', text: 'hello' }] },
  placement: [{ type: 'all' }],
  rollout: { type: 'staged', stages: [{ name: 'all', selector: {}, beforeTasks: [{ type: 'approval' }] }] },
};

/** A subtree of workspaces that grows and changes at random. It tracks what it created and sends no requests itself. */
export class Estate {
  readonly top: string;
  readonly #prefix: string;
  readonly #random: SeededRandom;
  readonly #workspaces: string[];
  readonly #targets: string[] = [];
  readonly #deployments: string[] = [];
  #made = 0;

  constructor(prefix: string, random: SeededRandom) {
    this.#prefix = prefix;
    this.#random = random;
    this.top = `${prefix}-top`;
    this.#workspaces = [this.top];
  }

  /** Creates one object of every kind that a caller can be asked about. */
  begin(parent: string): Step[] {
    const [room, den, target] = ['room', 'den', 'target'].map((name) => `${this.#prefix}-${name}`) as [
      string,
      string,
      string,
    ];
    this.#workspaces.push(room, den);
    this.#targets.push(target);
    const grant = { name: 'kept', subject: { kind: 'user', id: 'somebody' }, role: 'viewer' };
    const accounts = `/v1/workspaces/${room}/service-accounts`;
    return [
      post('/v1/workspaces', { name: this.top, parent }),
      ...[room, den].map((name) => post('/v1/workspaces', { name, parent: this.top })),
      post('/v1/workspaces', { name: `${this.#prefix}-empty`, parent: this.top }),
      post('/v1/targets', { name: target, type: 'directory', workspace: room }),
      post(`/v1/workspaces/${room}/grants`, grant),
      post(`/v1/targets/${target}/grants`, grant),
      post(accounts, { name: 'robot' }),
      post(`${accounts}/robot/tokens`, {}),
      this.#newScore(target, 'load'),
      post(`/v1/workspaces/${room}/bootstrap-tokens`, { name: 'kept' }),
    ];
  }

  /** A deployment is planned in the background. A test that compares two platforms creates it last, and waits for the plan. */
  deploy(): Step {
    return this.#newDeployment(`${this.#prefix}-room`, 'app');
  }

  /** Changes an existing deployment, or creates another. The first one stays. */
  changeDeployment(): Step {
    const random = this.#random;
    const path = random.pick(this.#deployments);
    const [, ...others] = this.#deployments;
    switch (random.integer(0, 4)) {
      case 0:
        return patch(path, { labels: { team: this.#name('t') } });
      case 1:
        return patch(path, { manifest: { documents: [{ kind: 'Note', text: this.#name('text') }] } });
      case 2:
        // Refused where no approval is pending yet.
        return post(`${path}:approve`);
      case 3:
        return others.length > 0 ? remove(random.pick(others)) : post(`${path}:replan`);
      default:
        return this.#newDeployment(random.pick(this.#workspaces), this.#name('d'));
    }
  }

  /** An earlier life of the objects that `begin` creates: the same names with other owners, deleted again. */
  static earlier(prefix: string, parent: string): Step[] {
    const [top, target] = [`${prefix}-top`, `${prefix}-target`];
    const grant = { subject: { kind: 'user', id: 'somebody-earlier' }, role: 'admin' };
    return [
      post('/v1/workspaces', { name: top, parent, displayName: 'An earlier one' }),
      post('/v1/targets', { name: target, type: 'directory', workspace: top }),
      post(`/v1/targets/${target}/grants`, grant),
      post(`/v1/workspaces/${top}/grants`, grant),
      post(`/v1/workspaces/${top}/service-accounts`, { name: 'robot' }),
      remove(`/v1/workspaces/${top}/service-accounts/robot`),
      remove(`/v1/targets/${target}`),
      remove(`/v1/workspaces/${top}`),
    ];
  }

  change(): Step {
    const random = this.#random;
    const workspace = random.pick(this.#workspaces);
    const target = random.pick(this.#targets);
    switch (random.integer(0, 10)) {
      case 0:
      case 1:
        return this.#newWorkspace(workspace);
      case 2:
      case 3:
        return this.#newTarget(workspace);
      case 4:
        return patch(`/v1/workspaces/${workspace}`, { labels: { team: this.#name('t') } });
      case 5:
        return patch(`/v1/targets/${target}`, { labels: { tier: this.#name('t') } });
      case 6:
        return post(`/v1/targets/${target}:assign`, { workspace });
      case 7:
        // Sometimes moves a workspace into itself, which is refused.
        return post(`/v1/workspaces/${random.pick(this.#workspaces.slice(1))}:move`, { parent: workspace });
      case 8:
        return post(`/v1/workspaces/${workspace}/grants`, {
          subject: { kind: 'user', id: this.#name('user') },
          role: 'viewer',
        });
      case 9:
        return this.#newScore(target, this.#name('s'));
      default:
        return post(`/v1/targets/${target}:${random.pick(['cordon', 'uncordon'])}`);
    }
  }

  #newWorkspace(parent: string): Step {
    const name = this.#name('w');
    this.#workspaces.push(name);
    return post('/v1/workspaces', { name, parent });
  }

  #newTarget(workspace: string): Step {
    const name = this.#name('t');
    this.#targets.push(name);
    return post('/v1/targets', { name, type: 'directory', workspace });
  }

  #newScore(target: string, name: string): Step {
    return { path: `/v1/targets/${target}/scores/${name}`, init: { method: 'PUT', body: { value: 7 } } };
  }

  #newDeployment(workspace: string, name: string): Step {
    const path = `/v1/workspaces/${workspace}/deployments`;
    this.#deployments.push(`${path}/${name}`);
    return post(path, { ...DEPLOYMENT, name });
  }

  #name(kind: string): string {
    this.#made += 1;
    return `${this.#prefix}-${kind}${this.#made}`;
  }
}

function post(path: string, body?: object): Step {
  return { path, init: { method: 'POST', ...(body === undefined ? {} : { body }) } };
}

function patch(path: string, body: object): Step {
  return { path, init: { method: 'PATCH', body } };
}

function remove(path: string): Step {
  return { path, init: { method: 'DELETE' } };
}
