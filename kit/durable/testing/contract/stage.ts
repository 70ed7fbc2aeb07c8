import type { EngineHarness, OpenEngine } from '../engine-harness.ts';
import { registryOf, type SetName } from '../registries.ts';
import { World } from '../world.ts';
import { Driver } from './driver.ts';

/** The environment of the contract: one harness, one world, and at most one engine at a time. */
export class Stage {
  readonly world = new World();
  #harness: EngineHarness | undefined;
  #running: { readonly engine: OpenEngine; readonly set: SetName } | undefined;

  enter(harness: EngineHarness): void {
    this.#harness = harness;
  }

  async leave(): Promise<void> {
    await this.#stop();
    await this.#harness?.dispose();
  }

  /** A driver of an engine with these workflows: the running one, or a new one. */
  async driver(set: SetName = 'main'): Promise<Driver> {
    if (this.#running?.set !== set) await this.#open(set);
    return this.#driver();
  }

  /** A new engine on the same data. `meanwhile` runs while there is no engine. */
  async restarted(set: SetName = 'main', meanwhile: () => Promise<void> = async () => {}): Promise<Driver> {
    await this.#stop();
    await meanwhile();
    await this.#open(set);
    return this.#driver();
  }

  #driver(): Driver {
    if (this.#running === undefined) throw new Error('no engine runs');
    return new Driver(this.#running.engine.client, this.world);
  }

  async #open(set: SetName): Promise<void> {
    await this.#stop();
    if (this.#harness === undefined) throw new Error('the suite has no harness yet');
    this.#running = { engine: await this.#harness.open(registryOf(set, this.world)), set };
  }

  async #stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    await running?.engine.stop();
  }
}
