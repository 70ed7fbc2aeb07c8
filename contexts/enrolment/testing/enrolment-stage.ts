import { X509Certificate } from 'node:crypto';
import { sql } from '#kit/storage';
import type { TestDatabase } from '#testing/databases';
import { RENEW_AUDIENCE } from '../adapters/fleetlet-gate.ts';
import type { Recognition } from '../application/fleetlet-admission.ts';
import { aMachine, type Machine, tokenOf } from './a-machine.ts';
import { type Called, type EnrolmentServer, startEnrolmentServer } from './enrolment-server.ts';

export interface EnrolledMachine {
  readonly machine: Machine;
  readonly target: { readonly name: string; readonly type: string };
  readonly fleetlet: string;
  readonly name: string;
  readonly certificate: string;
  readonly targets: readonly { readonly uid: string; readonly name: string }[];
}

const signal = new AbortController().signal;

/** A platform and the machines that enrol with it. */
export class EnrolmentStage {
  readonly api: EnrolmentServer;
  #targets = 0;

  private constructor(api: EnrolmentServer) {
    this.api = api;
  }

  static async open(database: TestDatabase): Promise<EnrolmentStage> {
    return new EnrolmentStage(await startEnrolmentServer(database));
  }

  /** The text of a new bootstrap token. */
  async mint(body: object = {}, workspace = 'web'): Promise<string> {
    const made = `POST /v1/workspaces/${workspace}/bootstrap-tokens`;
    const answer = await this.api.call(made, { body, want: 201, as: 'root' });
    return (answer.body as { token: string }).token;
  }

  async enroll(body: object, want?: number): Promise<Called> {
    return await this.api.call('POST /v1/enroll', { as: undefined, body, ...(want === undefined ? {} : { want }) });
  }

  /** With an unused name. */
  freshTarget(): { name: string; type: string } {
    this.#targets += 1;
    return { name: `edge-${this.#targets}`, type: 'directory' };
  }

  /** A machine enrolled for a new target. */
  async enrolled(machine: Machine = aMachine(), target = this.freshTarget()): Promise<EnrolledMachine> {
    const answer = await this.enroll({ token: await this.mint(), csr: machine.csr, targets: [target] }, 200);
    return { machine, target, ...(answer.body as Omit<EnrolledMachine, 'machine' | 'target'>) };
  }

  async recognise(certificate: string): Promise<Recognition> {
    const der = new X509Certificate(certificate).raw;
    return await this.api.enrolment.recognise({ kind: 'certificate', der }, signal);
  }

  async renew(machine: Machine, certificate: string, csr = machine.csr): Promise<Called> {
    const bearer = await tokenOf(machine, certificate, { audience: RENEW_AUDIENCE, now: this.api.clock.now() });
    return await this.api.call('POST /v1/enroll:renew', { as: bearer, body: { csr } });
  }

  /** Yields to other tasks between two checks. */
  async until(condition: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await condition())) {
      signal.throwIfAborted();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** `null` for a target that does not exist. */
  async labelsOf(target: string): Promise<unknown> {
    const query = sql`SELECT labels FROM fake_targets WHERE name = ${target}`;
    return JSON.parse((await this.api.storage.get<{ labels: string }>(query, signal))?.labels ?? 'null');
  }

  async close(): Promise<void> {
    await this.api.close();
  }
}
