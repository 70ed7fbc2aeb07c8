import { suggestion } from './closest.ts';
import { describeOrigin, type Fault, type Given, type Origin, type Read } from './origin.ts';
import { mayComeFrom, type Settings, VARIABLE_PREFIX, variableOf } from './setting.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Every `FLEETSHIFT_*` variable must be a setting, so that a typo is found at startup. An empty variable counts as not
 * set: compose files and charts leave variables out this way.
 */
export function readEnvironment(settings: Settings, environment: Environment, ignored: readonly RegExp[]): Read {
  const names = new Map<string, string>();
  for (const [name, setting] of Object.entries(settings)) {
    if (mayComeFrom(setting, 'environment')) names.set(variableOf(name, setting), name);
  }
  const given: Given[] = [];
  const faults: Fault[] = [];
  for (const [variable, text] of Object.entries(environment).sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (!variable.startsWith(VARIABLE_PREFIX) || text === undefined || text === '') continue;
    const origin: Origin = { kind: 'environment', variable };
    const name = names.get(variable);
    if (name !== undefined) given.push({ name, text, origin });
    else if (!isServiceLink(variable, text) && !ignored.some((pattern) => pattern.test(variable))) {
      const message = `${describeOrigin(origin)}: no such setting${suggestion(variable, names.keys())}`;
      faults.push({ name: variable, message });
    }
  }
  return { given, faults };
}

/**
 * Kubernetes injects variables for each Service into every pod of its namespace. A Service named `fleetshift`, the most
 * likely name of ours, becomes `FLEETSHIFT_SERVICE_HOST`, `FLEETSHIFT_PORT=tcp://10.0.0.1:8701` and so on.
 */
function isServiceLink(variable: string, text: string): boolean {
  if (/_SERVICE_(HOST|PORT)(_[A-Z0-9_]+)?$/.test(variable)) return true;
  if (/_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/.test(variable)) return true;
  return variable.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(text);
}
