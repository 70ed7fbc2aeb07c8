import { escapePointer, type FieldFault, type Labels, labelFaults, sortedLabels } from '#kit/std';

/** The prefix of the agent's labels. Users cannot set labels with it, so neither side can overwrite the other's. */
const REPORTED_PREFIX = 'agent.fleetshift.io/';

export function ownLabelFaults(labels: Labels): FieldFault[] {
  const message = `begins with ${REPORTED_PREFIX}, which is reserved for agents`;
  return [...labelFaults(labels), ...faultsWhere(labels, '/labels', { message, isWrong: isReported })];
}

export function reportedLabelFaults(labels: Labels): FieldFault[] {
  const message = `must begin with ${REPORTED_PREFIX}, like every label that an agent reports`;
  const at = '/reportedLabels';
  return [...labelFaults(labels, at), ...faultsWhere(labels, at, { message, isWrong: (key) => !isReported(key) })];
}

/** The labels that placement selects by. */
export function allLabels(own: Labels, reported: Labels): Labels {
  return sortedLabels({ ...reported, ...own });
}

function isReported(key: string): boolean {
  return key.startsWith(REPORTED_PREFIX);
}

interface KeyRule {
  readonly message: string;
  readonly isWrong: (key: string) => boolean;
}

function faultsWhere(labels: Labels, at: string, { message, isWrong }: KeyRule): FieldFault[] {
  return Object.keys(labels)
    .filter((key) => isWrong(key))
    .map((key) => ({ path: `${at}/${escapePointer(key)}`, message }));
}
