/** A request, as seen by a fault. */
export interface FakeRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly watch: boolean;
}

export type FaultAction =
  /** Responds with this instead of doing anything. */
  | {
      readonly kind: 'status';
      readonly httpStatus: number;
      readonly reason?: string;
      readonly retryAfterSeconds?: number;
    }
  /** Does nothing until the promise resolves: a slow or stuck server. */
  | { readonly kind: 'wait'; readonly until: Promise<void> }
  /** Breaks the connection after this many bytes of the body. */
  | { readonly kind: 'cut'; readonly afterBytes: number };

export interface Fault {
  readonly action: FaultAction;
  /** Every request by default. */
  readonly matches?: (request: FakeRequest) => boolean;
  /** How many requests it affects; one by default. */
  readonly times?: number;
}

/** Faults waiting for their requests, in the order in which they were added. */
export class Faults {
  readonly #faults: { readonly fault: Fault; left: number }[] = [];

  add(fault: Fault): void {
    this.#faults.push({ fault, left: fault.times ?? 1 });
  }

  clear(): void {
    this.#faults.length = 0;
  }

  take(request: FakeRequest): FaultAction | undefined {
    const met = this.#faults.find(({ fault, left }) => left > 0 && (fault.matches?.(request) ?? true));
    if (!met) return undefined;
    met.left -= 1;
    return met.fault.action;
  }
}
