import type { Precondition, ResourceName, Uuid } from '#kit/std';
import { type Contents, checkDeletable, NAMES_IN_THE_WAY } from '../domain/delete-workspace.ts';
import { changesOfMove, type MoveChange, moveWorkspace } from '../domain/move-workspace.ts';
import { newWorkspace, parseDraft, type RawDraft, type WorkspaceDraft } from '../domain/new-workspace.ts';
import { patchWorkspace, type WorkspacePatch } from '../domain/patch-workspace.ts';
import type { Place } from '../domain/place.ts';
import { parentOf, pathOf, type Workspace } from '../domain/workspace.ts';
import { WorkspaceError, workspaceNotFound } from '../domain/workspace-error.ts';
import type { WorkspaceEvent } from '../domain/workspace-event.ts';
import type { UnitOfWork, WorkspaceReader } from './ports.ts';

export interface WorkspaceServiceDeps {
  readonly newUid: () => Uuid;
}

export interface CreateWorkspace {
  readonly draft: RawDraft;
  readonly now: number;
}

/** The workspace to change, the time of the change, and the expected state. */
export interface ChangeWorkspace {
  readonly name: ResourceName;
  readonly precondition: Precondition<Workspace>;
  readonly now: number;
}

export interface PatchWorkspace extends ChangeWorkspace {
  readonly patch: WorkspacePatch;
}

export interface MoveWorkspace extends ChangeWorkspace {
  readonly parent: ResourceName;
}

export interface MovedWorkspace {
  readonly workspace: Workspace;
  readonly changes: readonly MoveChange[];
}

/**
 * The operations on workspaces. The caller provides the unit of work and decides whether to commit it: a dry run does not. The
 * service keeps no state between calls, so a unit may be run again.
 */
export class WorkspaceService {
  readonly #deps: WorkspaceServiceDeps;

  constructor(deps: WorkspaceServiceDeps) {
    this.#deps = deps;
  }

  async create(unit: UnitOfWork, { draft: raw, now }: CreateWorkspace, signal: AbortSignal): Promise<Workspace> {
    const draft = parseDraft(raw);
    if (await unit.workspaces.find(draft.name, signal)) throw nameTaken(draft.name);
    const place = await placeIn(unit, draft, signal);
    const workspace = newWorkspace(draft, { ...place, uid: this.#deps.newUid(), now });
    await checkSlug(unit, draft, signal);
    await unit.workspaces.insert(workspace, signal);
    await unit.events.append([{ type: 'workspace.created', workspace }], now, signal);
    return workspace;
  }

  async get(reader: Pick<WorkspaceReader, 'find'>, name: ResourceName, signal: AbortSignal): Promise<Workspace> {
    const workspace = await reader.find(name, signal);
    if (workspace === undefined) throw workspaceNotFound(name);
    return workspace;
  }

  /** A patch that changes nothing writes and announces nothing. A new region of a Domain also applies to its Projects. */
  async patch(unit: UnitOfWork, command: PatchWorkspace, signal: AbortSignal): Promise<Workspace> {
    const { name, precondition, patch, now } = command;
    const current = await this.get(unit.workspaces, name, signal);
    precondition.check(current);
    const next = patchWorkspace(current, patch, now);
    if (next === current) return current;
    await unit.workspaces.replace(next, signal);
    const projects = next.region === current.region ? [] : await unit.tree.passOnRegion(next, signal);
    await unit.events.append(
      [next, ...projects].map((workspace): WorkspaceEvent => ({ type: 'workspace.updated', workspace })),
      now,
      signal,
    );
    return next;
  }

  /** A move to the current parent changes nothing. Changes are listed in a fixed order: the tree first. */
  async move(unit: UnitOfWork, command: MoveWorkspace, signal: AbortSignal): Promise<MovedWorkspace> {
    const { name, precondition, now } = command;
    const current = await this.get(unit.workspaces, name, signal);
    precondition.check(current);
    const place = await placeIn(unit, command, signal);
    const subtree = await unit.tree.subtreeOf(current, signal);
    const workspace = moveWorkspace(current, { ...place, subtree, now });
    const from = parentOf(current);
    if (workspace === current || from === undefined) return { workspace, changes: [] };
    await unit.tree.move(current, workspace, signal);
    const move = { workspace: name, from, to: place.parent.name, fromPath: pathOf(current), toPath: pathOf(workspace) };
    const changes = changesOfMove(current, workspace, subtree);
    for (const observer of unit.moveObservers) changes.push(...(await observer.moved(move, signal)));
    await unit.events.append([{ type: 'workspace.moved', workspace, from }], now, signal);
    return { workspace, changes };
  }

  async delete(unit: UnitOfWork, { name, precondition, now }: ChangeWorkspace, signal: AbortSignal): Promise<void> {
    const workspace = await this.get(unit.workspaces, name, signal);
    precondition.check(workspace);
    const children = await unit.workspaces.childrenOf(name, NAMES_IN_THE_WAY, signal);
    const contents: Contents[] = [{ kind: 'workspace', ...children }];
    const place = { name, path: pathOf(workspace) };
    for (const reader of unit.contents) contents.push(await reader.contentsOf(place, NAMES_IN_THE_WAY, signal));
    checkDeletable(workspace, contents);
    await unit.workspaces.remove(workspace, signal);
    for (const observer of unit.deleteObservers) await observer.deleted({ name, uid: workspace.uid, now }, signal);
    await unit.events.append([{ type: 'workspace.deleted', workspace }], now, signal);
  }
}

async function placeIn(
  unit: UnitOfWork,
  asked: { readonly parent: ResourceName },
  signal: AbortSignal,
): Promise<Place> {
  const parent = await unit.workspaces.find(asked.parent, signal);
  if (parent === undefined) throw parentNotFound(asked.parent);
  return { parent, project: await unit.tree.projectOf(parent, signal) };
}

async function checkSlug(unit: UnitOfWork, { slug }: WorkspaceDraft, signal: AbortSignal): Promise<void> {
  if (slug === undefined || !(await unit.tree.domainOfSlug(slug, signal))) return;
  throw new WorkspaceError(
    'SLUG_TAKEN',
    `There is a domain with the slug ${slug} already, and slugs are unique in the whole instance. Choose another.`,
    { faults: [{ path: '/slug', message: 'is taken' }] },
  );
}

function nameTaken(name: string): WorkspaceError {
  return new WorkspaceError(
    'NAME_TAKEN',
    `There is a workspace ${name} already, and names are unique in the whole instance. Choose another.`,
    { faults: [{ path: '/name', message: 'is taken' }] },
  );
}

function parentNotFound(parent: string): WorkspaceError {
  return new WorkspaceError(
    'PARENT_NOT_FOUND',
    `There is no workspace ${parent} to put this one in. Create it first, or choose another parent.`,
    { faults: [{ path: '/parent', message: 'does not exist' }] },
  );
}
