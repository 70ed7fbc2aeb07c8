import type { ResourceName, Uuid } from '#kit/std';
import { checkDeletable, NAMES_IN_THE_WAY } from '../domain/delete-workspace.ts';
import { newWorkspace, parseDraft, type RawDraft } from '../domain/new-workspace.ts';
import { patchWorkspace, type WorkspacePatch } from '../domain/patch-workspace.ts';
import type { Workspace } from '../domain/workspace.ts';
import { WorkspaceError } from '../domain/workspace-error.ts';
import type { Precondition, UnitOfWork, WorkspaceReader } from './ports.ts';

export interface WorkspaceServiceDeps {
  readonly newUid: () => Uuid;
}

export interface CreateWorkspace {
  readonly draft: RawDraft;
  readonly now: number;
}

/** Which workspace to change, when, and what must be true of it. */
export interface ChangeWorkspace {
  readonly name: ResourceName;
  readonly precondition: Precondition;
  readonly now: number;
}

export interface PatchWorkspace extends ChangeWorkspace {
  readonly patch: WorkspacePatch;
}

/**
 * What can be done with workspaces. Whoever calls brings the unit of work, and decides whether it is kept: a dry run is a
 * unit that is not. Nothing here is remembered between calls, so a unit may be run again.
 */
export class WorkspaceService {
  readonly #deps: WorkspaceServiceDeps;

  constructor(deps: WorkspaceServiceDeps) {
    this.#deps = deps;
  }

  async create(unit: UnitOfWork, { draft: raw, now }: CreateWorkspace, signal: AbortSignal): Promise<Workspace> {
    const draft = parseDraft(raw);
    if (await unit.workspaces.find(draft.name, signal)) throw nameTaken(draft.name);
    const parent = await unit.workspaces.find(draft.parent, signal);
    if (parent === undefined) throw parentNotFound(draft.parent);
    const workspace = newWorkspace(draft, { parent, uid: this.#deps.newUid(), now });
    await unit.workspaces.insert(workspace, signal);
    await unit.events.append({ type: 'workspace.created', time: now, workspace }, signal);
    return workspace;
  }

  async get(reader: Pick<WorkspaceReader, 'find'>, name: ResourceName, signal: AbortSignal): Promise<Workspace> {
    const workspace = await reader.find(name, signal);
    if (workspace === undefined) throw notFound(name);
    return workspace;
  }

  /** A patch that changes nothing writes nothing and announces nothing. */
  async patch(unit: UnitOfWork, command: PatchWorkspace, signal: AbortSignal): Promise<Workspace> {
    const { name, precondition, patch, now } = command;
    const current = await this.get(unit.workspaces, name, signal);
    precondition.check(current);
    const next = patchWorkspace(current, patch, now);
    if (next === current) return current;
    await unit.workspaces.replace(next, signal);
    await unit.events.append({ type: 'workspace.updated', time: now, workspace: next }, signal);
    return next;
  }

  async delete(unit: UnitOfWork, { name, precondition, now }: ChangeWorkspace, signal: AbortSignal): Promise<void> {
    const workspace = await this.get(unit.workspaces, name, signal);
    precondition.check(workspace);
    const children = await unit.workspaces.childrenOf(name, NAMES_IN_THE_WAY, signal);
    checkDeletable(workspace, [{ kind: 'workspace', ...children }]);
    await unit.workspaces.remove(workspace, signal);
    await unit.events.append({ type: 'workspace.deleted', time: now, workspace }, signal);
  }
}

function notFound(name: string): WorkspaceError {
  return new WorkspaceError('WORKSPACE_NOT_FOUND', `There is no workspace ${name}.`, { details: { workspace: name } });
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
    `There is no workspace ${parent} to create this one in. Create it first, or choose another parent.`,
    { faults: [{ path: '/parent', message: 'does not exist' }] },
  );
}
