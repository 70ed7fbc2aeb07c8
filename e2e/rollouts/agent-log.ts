import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** An order that an agent accepted, including one it had accepted before. */
export interface TakenOrder {
  readonly target: string;
  readonly deployment: string;
  readonly revision: number;
  readonly hash?: string;
}

/**
 * The orders that reached the agents of a simulated fleet, over all restarts of its process. The fleet writes each order
 * before acknowledging it; a start compacts the file to the latest order of each target and deployment.
 */
export class AgentLog {
  readonly #file: string;
  #before = '';
  readonly orders: TakenOrder[] = [];

  constructor(dataFolder: string) {
    this.#file = join(dataFolder, 'demo-fleet.jsonl');
  }

  /** The current number of lines in the file. */
  get length(): number {
    return linesOf(this.#text()).length;
  }

  /** The orders received by the process that has just ended. Call only between two processes. */
  takeIn(): readonly TakenOrder[] {
    const before = linesOf(this.#before);
    const text = this.#text();
    // A process killed before it read the file has left it unchanged.
    if (text === this.#before) return [];
    const kept = new Set(before.map(({ target, deployment }) => `${target} ${deployment}`)).size;
    const taken = linesOf(text).slice(kept);
    this.#before = text;
    this.orders.push(...taken);
    return taken;
  }

  #text(): string {
    return existsSync(this.#file) ? readFileSync(this.#file, 'utf8') : '';
  }
}

/** The last line may be cut off: its order was not acknowledged. */
function linesOf(text: string): TakenOrder[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as TakenOrder);
}
