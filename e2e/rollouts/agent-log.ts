import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** An order that an agent took, also one that it had taken before. */
export interface TakenOrder {
  readonly target: string;
  readonly deployment: string;
  readonly revision: number;
  readonly hash?: string;
}

/**
 * Which orders came to the agents of a simulated fleet, over all lives of its process. The fleet writes each down before
 * it acknowledges it; a start leaves only the latest of each target and deployment in the file.
 */
export class AgentLog {
  readonly #file: string;
  #before = '';
  readonly orders: TakenOrder[] = [];

  constructor(dataFolder: string) {
    this.#file = join(dataFolder, 'demo-fleet.jsonl');
  }

  /** So many lines are in the file by now. */
  get length(): number {
    return linesOf(this.#text()).length;
  }

  /** What came to them in the life that has just ended. Only between two lives. */
  takeIn(): readonly TakenOrder[] {
    const before = linesOf(this.#before);
    const text = this.#text();
    // One that was killed before it read the file has left it as it was.
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

/** The last line may have been cut off: what it says was not acknowledged. */
function linesOf(text: string): TakenOrder[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as TakenOrder);
}
