import { seededRandom } from '../seeded.ts';
import { AnswerChecker } from './answer-checker.ts';
import { type OpenapiDocument, type Operation, operationsOf } from './api-description.ts';
import { type CallerSource, FuzzCallers } from './fuzz-callers.ts';
import { asCurl, type FuzzAnswer, FuzzClient, type FuzzRequest } from './fuzz-request.ts';
import { RequestMaker } from './request-maker.ts';
import { SeenValues } from './seen-values.ts';

export interface FuzzOptions {
  readonly url: string;
  /** Each request is sent as one of these callers. */
  readonly callers: CallerSource;
  readonly document: OpenapiDocument;
  readonly count: number;
  readonly seed: number;
  readonly progress: (done: number) => void;
  /** Whether a generated request can succeed; more is spent on operations for which none has. All by default. */
  readonly isReachable?: (operation: Operation) => boolean;
  /** Time limit for an answer. */
  readonly answerMs?: number;
}

export interface FuzzReport {
  readonly operations: readonly Operation[];
  /** Number of answers by operation and status. */
  readonly statuses: ReadonlyMap<string, ReadonlyMap<number, number>>;
  /** Number of answers by caller and status. */
  readonly byCaller: ReadonlyMap<string, ReadonlyMap<number, number>>;
  /** Number of problems by code. */
  readonly codes: ReadonlyMap<string, number>;
}

/** How many different faults are collected before failing. */
const MAX_FAULTS = 10;

/**
 * Sends requests that the server's own description allows, and some that it does not. Throws when an answer is a 5xx or
 * is not described. Requests are sent one after the other, and later ones refer to objects that earlier ones created, so
 * a seed and a count reproduce a run.
 */
export async function fuzzApi(options: FuzzOptions, signal: AbortSignal): Promise<FuzzReport> {
  const { document, count, isReachable = () => true } = options;
  const random = seededRandom(options.seed);
  const operations = operationsOf(document);
  const seen = new SeenValues(random, operations);
  const callers = new FuzzCallers(options.callers, random);
  const maker = new RequestMaker({ document, operations, isReachable, random, seen, callers });
  const checker = new AnswerChecker(document, callers);
  const client = new FuzzClient(options.url, options.answerMs);
  const tally = new Tally(callers);
  const faults = new Map<string, string>();
  try {
    for (let done = 0; done < count && faults.size < MAX_FAULTS; done += 1) {
      signal.throwIfAborted();
      await callers.turnUp(done);
      const request = maker.next();
      const answer = await answerOf(client, request, signal);
      const fault = typeof answer === 'string' ? answer : checker.faultIn(request, answer);
      if (typeof answer !== 'string') {
        tally.count(request, answer);
        if (answer.status < 400) maker.reached(request.operation);
        if (fault === undefined) seen.learn(request, answer);
      }
      if (fault !== undefined) noteFault(faults, { request, answer, fault, index: done }, callers);
      options.progress(done + 1);
    }
  } finally {
    client.close();
  }
  if (faults.size > 0) throw new Error(`seed ${options.seed}:\n\n${[...faults.values()].join('\n\n')}`);
  return { operations, statuses: tally.statuses, byCaller: tally.byCaller, codes: tally.codes };
}

/** The answer, or the reason why there was none. */
async function answerOf(client: FuzzClient, request: FuzzRequest, signal: AbortSignal): Promise<FuzzAnswer | string> {
  try {
    return await client.send(request, signal);
  } catch (error) {
    signal.throwIfAborted();
    return `no answer: ${error instanceof Error ? error.message : String(error)}`;
  }
}

interface Found {
  readonly request: FuzzRequest;
  readonly answer: FuzzAnswer | string;
  readonly fault: string;
  readonly index: number;
}

/** Keeps one fault of each kind. */
function noteFault(faults: Map<string, string>, { request, answer, fault, index }: Found, callers: FuzzCallers): void {
  const { operation, manner } = request;
  const kind = `${operation.id} ${fault.slice(0, 60)}`;
  if (faults.has(kind)) return;
  const shown = typeof answer === 'string' ? '' : `\n  answered ${answer.body.slice(0, 600)}`;
  const caller = callers.nameOf(request.headers['authorization']);
  const head = `${operation.id}: ${fault}\n  (request ${index}, ${manner}, as ${caller ?? 'nobody'})`;
  faults.set(kind, `${head}${shown}\n  ${asCurl(request, caller !== undefined)}`);
}

class Tally {
  readonly statuses = new Map<string, Map<number, number>>();
  readonly byCaller = new Map<string, Map<number, number>>();
  readonly codes = new Map<string, number>();
  readonly #callers: FuzzCallers;

  constructor(callers: FuzzCallers) {
    this.#callers = callers;
  }

  count({ operation, headers }: FuzzRequest, { status, body }: FuzzAnswer): void {
    increase(this.statuses, operation.id, status);
    increase(this.byCaller, this.#callers.nameOf(headers['authorization']) ?? 'nobody known', status);
    const code = status < 400 ? undefined : /"code":"(\w+)"/.exec(body)?.[1];
    if (code !== undefined) this.codes.set(code, (this.codes.get(code) ?? 0) + 1);
  }
}

function increase(counts: Map<string, Map<number, number>>, key: string, status: number): void {
  const ofKey = counts.get(key) ?? new Map<number, number>();
  counts.set(key, ofKey.set(status, (ofKey.get(status) ?? 0) + 1));
}
