import { TargetService } from '#contexts/targets';
import { httpMigrations } from '#kit/http';
import { parseResourceName, parseUuid, type ResourceName, type Uuid, uuidv7 } from '#kit/std';
import { type MigrationModule, type Statement, type Storage, sql, type Transaction } from '#kit/storage';
import { OUTBOX_MIGRATIONS } from '#kit/storage/outbox';
import { TARGET_MIGRATIONS, targetsInWorkspaces, targetUnitOfWork } from '../../contexts/targets/adapters/index.ts';
import { SqlTargetReader } from '../../contexts/targets/adapters/sql-target-reader.ts';
import { insertTarget } from '../../contexts/targets/adapters/sql-target-store.ts';
import { newTarget } from '../../contexts/targets/domain/new-target.ts';
import { WORKSPACE_MIGRATIONS, workspacePlaces } from '../../contexts/workspaces/adapters/index.ts';
import { unitOfWork } from '../../contexts/workspaces/adapters/sql-unit-of-work.ts';
import { SqlWorkspaceReader } from '../../contexts/workspaces/adapters/sql-workspace-reader.ts';
import { WorkspaceService } from '../../contexts/workspaces/application/workspace-service.ts';

export const FLEET_MODULES: readonly MigrationModule[] = [
  OUTBOX_MIGRATIONS,
  httpMigrations,
  WORKSPACE_MIGRATIONS,
  TARGET_MIGRATIONS,
];

/** Workspaces and targets, composed as in the platform. */
export function composeFleet(storage: Storage, newUid: () => Uuid = uuidv7) {
  const workspaceDeps = {
    newId: newUid,
    contents: [targetsInWorkspaces],
    moveObservers: [targetsInWorkspaces],
    deleteObservers: [],
  };
  const targetDeps = { newId: newUid, workspaces: workspacePlaces };
  return {
    workspaces: new WorkspaceService({ newUid }),
    workspaceReader: new SqlWorkspaceReader(storage),
    workspaceUnit: (tx: Transaction) => unitOfWork(tx, workspaceDeps),
    targets: new TargetService({
      newUid,
      addonTypes: { has: async () => false },
    }),
    targetReader: new SqlTargetReader({ storage, workspaces: workspacePlaces }),
    targetUnit: (tx: Transaction) => targetUnitOfWork(tx, targetDeps),
  };
}

const FAN_OUT = 10;
const AT_ONCE = 2_000;

export interface FleetSize {
  readonly workspaces: number;
  readonly targets: number;
}

/** Ten workspaces in each, on as many levels as needed; `w-0` to `w-9` are in the root. */
export function pathOfWorkspace(nth: number): string {
  const parent = nth < FAN_OUT ? '/root/' : pathOfWorkspace(Math.floor(nth / FAN_OUT) - 1);
  return `${parent}w-${nth}/`;
}

/** Bypasses the services, which would take a while. */
export async function growFleet(storage: Storage, size: FleetSize, signal: AbortSignal): Promise<void> {
  const workspaces = Array.from({ length: size.workspaces }, (_, nth) => insertWorkspace(nth));
  for (let from = 0; from < workspaces.length; from += AT_ONCE) {
    await storage.commit(workspaces.slice(from, from + AT_ONCE), signal);
  }
  for (let from = 0; from < size.targets; from += AT_ONCE) {
    const count = Math.min(AT_ONCE, size.targets - from);
    const targets = Array.from({ length: count }, (_, nth) => insertNth(from + nth, size));
    await storage.commit(targets, signal);
  }
  await storage.commit([sql`ANALYZE workspaces`, sql`ANALYZE targets`], signal);
}

function insertWorkspace(nth: number): Statement {
  const path = pathOfWorkspace(nth);
  const parent = path.split('/').at(-3) ?? 'root';
  return sql`INSERT INTO workspaces (name, uid, kind, parent, path, labels, generation, version, create_time, update_time)
    VALUES (${`w-${nth}`}, ${uidOf(nth)}, ${'folder'}, ${parent}, ${path}, ${'{}'}, ${1}, ${1}, ${1}, ${1})`;
}

/** Neighbours by name are far apart in the tree, as in a fleet that grew over time. */
function insertNth(nth: number, { workspaces }: FleetSize): Statement {
  const place = (nth * 7_919) % workspaces;
  const name = named(`t-${nth}`);
  const workspace = { name: named(`w-${place}`), path: pathOfWorkspace(place) };
  const draft = {
    name,
    type: named('kubernetes'),
    workspace: workspace.name,
    labels: { env: 'prod', ring: String(nth % 5) },
  };
  return insertTarget(newTarget(draft, { workspace, uid: uidOf(1_000_000 + nth), now: 1 }));
}

function named(text: string): ResourceName {
  return parseResourceName(text);
}

function uidOf(nth: number): Uuid {
  return parseUuid(`00000000-0000-7000-8000-${String(nth).padStart(12, '0')}`);
}
