import type { Sleep } from '#kit/std';
import { carryOut, type Outcome } from './carry-out.ts';
import type { Claims } from './claims.ts';
import type { DeploymentFile } from './deployment-file.ts';
import { Ledger } from './ledger.ts';
import type { ClusterPorts } from './ports.ts';

export interface CarryOutOrderDeps {
  readonly ports: ClusterPorts;
  readonly claims: Claims;
  readonly sleep: Sleep;
  /** The kinds that there are objects of may be others now. */
  readonly kindsChanged: () => void;
}

/** Requests at a time, of one deployment. */
export const WIDTH = 16;
const LOOKS_MS = [10, 20, 40, 80, 160, 320];

export interface Assignment {
  readonly file: DeploymentFile;
  /** A repair of these objects, by identity. */
  readonly takesBack?: ReadonlySet<string>;
  /** It did not work by what the watch shows. */
  readonly asksServer?: boolean;
}

/** Carries out the order that is kept now, for as long as no other one is. */
export async function carryOutOrder(
  { ports, claims, sleep, kindsChanged }: CarryOutOrderDeps,
  { file, takesBack, asksServer = false }: Assignment,
  signal: AbortSignal,
): Promise<Outcome> {
  const facts = file.order;
  const order = await file.wholeOrder(signal);
  if (order === undefined) return { kind: 'stopped' };
  // A repair makes nothing else of them than what they are to be.
  if (takesBack === undefined) file.touch();
  const { deployment, versions } = file;
  const { revision, hash, documents, namespace } = order;
  const delivery = { deployment, revision, hash, documents, namespace, ...(takesBack && { takesBack }) };
  const { inventories, api: cluster, discovery, watch } = ports;
  const onSaved: ConstructorParameters<typeof Ledger>[0]['onSaved'] = (inventory) => {
    file.setInventory(inventory);
    kindsChanged();
  };
  const ledger = new Ledger({ inventories, onSaved }, file.inventory, {
    ...delivery,
    isRepair: takesBack !== undefined,
  });
  const job = { delivery, ledger, claims, versions, isOver: () => file.order !== facts };
  try {
    const seen = asksServer ? {} : { watch };
    const deps = { cluster, discovery, ...seen, width: WIDTH, sleep, looksMs: LOOKS_MS };
    return await carryOut(deps, job, signal);
  } finally {
    claims.settle(deployment, ledger.kept);
  }
}
