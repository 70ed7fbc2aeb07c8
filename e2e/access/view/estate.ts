import type { PlatformRequest } from '#testing/platform-process';
import type { SeededRandom } from '#testing/seeded';

/** One request of the administrator. */
export interface Step {
  readonly path: string;
  readonly init: PlatformRequest;
}

/** Somebody's part of the tree, and chance that makes it grow and change. It knows what it made, and asks nobody. */
export class Estate {
  readonly top: string;
  readonly #prefix: string;
  readonly #random: SeededRandom;
  readonly #workspaces: string[];
  readonly #targets: string[] = [];
  #made = 0;

  constructor(prefix: string, random: SeededRandom) {
    this.#prefix = prefix;
    this.#random = random;
    this.top = `${prefix}-top`;
    this.#workspaces = [this.top];
  }

  /** Everything that a caller can be asked about, made first. */
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
    ];
  }

  /** An earlier life of what `begin` makes: the same names in other hands, and gone again. */
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
    switch (random.integer(0, 9)) {
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
        // Into itself now and then, which is refused.
        return post(`/v1/workspaces/${random.pick(this.#workspaces.slice(1))}:move`, { parent: workspace });
      case 8:
        return post(`/v1/workspaces/${workspace}/grants`, {
          subject: { kind: 'user', id: this.#name('user') },
          role: 'viewer',
        });
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
