import { type FleetError, unlessAborted } from '#kit/std';
import { HttpError } from '../errors/http-error.ts';
import type { Principal } from '../ports.ts';
import type { CompiledRoute } from './compiled-route.ts';
import type { OpenSpan } from './open-span.ts';

export interface ExchangeStart {
  readonly id: string;
  readonly clientRequestId?: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly address: string;
  readonly time: number;
  /** Closes the connection. */
  readonly cut: () => void;
}

/** One request and its response, from the headers until the last byte. */
export class Exchange {
  readonly id: string;
  readonly clientRequestId: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly address: string;
  readonly time: number;
  /** `undefined` if no route matches the path. */
  route: CompiledRoute | undefined;
  principal: Principal | undefined;
  /** Only set if requests are traced. */
  span: OpenSpan | undefined;
  error: FleetError | undefined;
  isStream = false;
  readonly #began = performance.now();
  readonly #abort = new AbortController();
  readonly #cut: () => void;
  #timer: NodeJS.Timeout | undefined;
  /** Set while a body with its own time limit is being received. */
  #receiving: NodeJS.Timeout | undefined;

  constructor(start: ExchangeStart) {
    ({ id: this.id, method: this.method, path: this.path, address: this.address, time: this.time } = start);
    this.#cut = start.cut;
    this.clientRequestId = start.clientRequestId;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get durationMs(): number {
    return performance.now() - this.#began;
  }

  limitTo(ms: number, onLate: () => void): void {
    this.#timer = setTimeout(() => {
      const message = `The request was not finished within ${ms} ms. Check whether it took effect before trying again.`;
      this.abort(new HttpError('REQUEST_TIMEOUT', message));
      onLate();
    }, ms);
  }

  /** For the body of an unauthenticated caller. */
  receiveWithin(ms: number, onLate: () => void): void {
    this.#receiving = setTimeout(onLate, ms);
  }

  received(): void {
    clearTimeout(this.#receiving);
    this.#receiving = undefined;
  }

  /**
   * Makes room for another request. While a body is being received nothing listens to the signal, so the connection is
   * closed.
   */
  displace(reason: HttpError): void {
    this.abort(reason);
    if (this.#receiving !== undefined) this.#cut();
  }

  /** An open stream has no time limit. */
  liftLimit(): void {
    clearTimeout(this.#timer);
  }

  abort(reason: HttpError): void {
    this.#abort.abort(reason);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.received();
  }

  /** The outcome of the work, or the signal's reason as soon as it aborts, even if the work ignores the signal. */
  async within<T>(work: () => Promise<T>): Promise<T> {
    const { signal } = this;
    signal.throwIfAborted();
    return await unlessAborted(this.span ? this.span.run(work) : work(), signal);
  }
}
