import { createHmac, timingSafeEqual } from 'node:crypto';

/** In which each end of a tunnel proves that a request, or an answer, is its own. */
export const PROOF_HEADER = 'fleetshift-proof';

/** What of a request is proved: the rest cannot make it another's, nor ask for something else. */
export interface ProvedRequest {
  readonly method: string;
  readonly path: string;
  /** As the header has it. */
  readonly identity: string;
}

/** The platform's end: it numbers the requests of one tunnel. */
export class TunnelSigner {
  readonly #key: Uint8Array;
  #count = 0;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  /** Of the next request, which has to be the next on the tunnel. */
  sign(request: ProvedRequest): string {
    this.#count += 1;
    return proofOf(this.#key, this.#count, request);
  }

  /** Whether this comes with the answer to the request that was signed last. */
  isAnswer(proof: string | undefined): boolean {
    return isSame(proof, answerProofOf(this.#key, this.#count));
  }
}

/** The agent's end. */
export class TunnelVerifier {
  readonly #key: Uint8Array;
  #count = 0;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  /** What the answer has to carry; `undefined` for what is not the platform's next request: nothing on the tunnel is to be trusted then. */
  verify(proof: string | undefined, request: ProvedRequest): string | undefined {
    if (!isSame(proof, proofOf(this.#key, this.#count + 1, request))) return undefined;
    this.#count += 1;
    return answerProofOf(this.#key, this.#count);
  }
}

function proofOf(key: Uint8Array, count: number, { method, path, identity }: ProvedRequest): string {
  return mac(key, ['request', count, method, path, identity]);
}

function answerProofOf(key: Uint8Array, count: number): string {
  return mac(key, ['answer', count]);
}

/** As JSON, in which no two lists are written alike. */
function mac(key: Uint8Array, parts: readonly (string | number)[]): string {
  return createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url');
}

function isSame(shown: string | undefined, proof: string): boolean {
  return (
    shown !== undefined && shown.length === proof.length && timingSafeEqual(Buffer.from(shown), Buffer.from(proof))
  );
}
