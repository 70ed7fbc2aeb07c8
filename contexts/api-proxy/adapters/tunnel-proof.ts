import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';

/** Carries the proof of each end of a tunnel that a request, or a response, is its own. */
export const PROOF_HEADER = 'fleetshift-proof';

/** The authenticated parts of a request: the rest cannot change its caller or its meaning. */
export interface ProvedRequest {
  readonly method: string;
  readonly path: string;
  /** The value of the identity header. */
  readonly identity: string;
}

/** The platform's end: it numbers the requests of one tunnel. */
export class TunnelSigner {
  readonly #key: KeyObject;
  #count = 0;

  constructor(key: Uint8Array) {
    this.#key = createSecretKey(key);
  }

  /** Proof for the next request, which must be the next one sent on the tunnel. */
  sign(request: ProvedRequest): string {
    this.#count += 1;
    return proofOf(this.#key, this.#count, request);
  }

  /** Whether this proof belongs to the response of the request that was signed last. */
  isAnswer(proof: string | undefined): boolean {
    return isSame(proof, answerProofOf(this.#key, this.#count));
  }
}

/** The agent's end. */
export class TunnelVerifier {
  readonly #key: KeyObject;
  #count = 0;

  constructor(key: Uint8Array) {
    this.#key = createSecretKey(key);
  }

  /**
   * Returns the proof for the response; `undefined` when this is not the platform's next request: then nothing on the
   * tunnel can be trusted.
   */
  verify(proof: string | undefined, request: ProvedRequest): string | undefined {
    if (!isSame(proof, proofOf(this.#key, this.#count + 1, request))) return undefined;
    this.#count += 1;
    return answerProofOf(this.#key, this.#count);
  }
}

function proofOf(key: KeyObject, count: number, { method, path, identity }: ProvedRequest): string {
  return mac(key, ['request', count, method, path, identity]);
}

function answerProofOf(key: KeyObject, count: number): string {
  return mac(key, ['answer', count]);
}

/** JSON encodes different lists differently. */
function mac(key: KeyObject, parts: readonly (string | number)[]): string {
  return createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url');
}

function isSame(shown: string | undefined, proof: string): boolean {
  return (
    shown !== undefined && shown.length === proof.length && timingSafeEqual(Buffer.from(shown), Buffer.from(proof))
  );
}
