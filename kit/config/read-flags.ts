import { suggestion } from './closest.ts';
import type { Fault, Given, Read } from './origin.ts';
import { mayComeFrom, namesFrom, type Setting, type Settings } from './setting.ts';

/**
 * Reads `--name value`, `--name=value`, and `--name` or `--no-name` for a toggle.
 *
 * DECISION: not `parseArgs` of node:util. Given `--listen --data x` it takes `--data` for the address, so the message
 * names the wrong setting and the faults after it are lost.
 */
export function readFlags(settings: Settings, args: readonly string[]): Read {
  const texts = new Map<string, string>();
  const faults: Fault[] = [];
  for (let index = 0; index < args.length; index++) {
    const flag = splitFlag(args[index] ?? '');
    if (flag === undefined) {
      faults.push({ name: args[index] ?? '', message: `"${args[index]}": an argument that is not expected here` });
      continue;
    }
    const found = find(settings, flag.name);
    if (found === undefined) {
      faults.push({ name: flag.name, message: `--${flag.name}: no such setting${suggestFlag(settings, flag.name)}` });
      // The argument after an unknown flag is most likely its value; a second fault about it would only hide the first.
      if (flag.text === undefined && isValue(args[index + 1])) index++;
      continue;
    }
    const text = flag.text ?? found.implied ?? (isValue(args[index + 1]) ? args[++index] : undefined);
    const earlier = texts.get(found.name);
    const why = refusal(found, flag.text, earlier);
    if (why !== undefined) faults.push({ name: found.name, message: `--${flag.name}: ${why}` });
    else if (text === undefined)
      faults.push({ name: found.name, message: `--${flag.name}: needs ${found.setting.kind.expects}` });
    else texts.set(found.name, earlier === undefined ? text : `${earlier},${text}`);
  }
  return { given: [...texts].map(([name, text]) => givenBy(name, text)), faults };
}

interface Found {
  readonly name: string;
  readonly setting: Setting;
  /** The value of a toggle without an explicit value. */
  readonly implied?: 'true' | 'false';
}

function givenBy(name: string, text: string): Given {
  return { name, text, origin: { kind: 'flag', flag: `--${name}` } };
}

function splitFlag(arg: string): { name: string; text?: string } | undefined {
  const match = /^--([^=]+)(?:=(.*))?$/s.exec(arg);
  if (match?.[1] === undefined) return undefined;
  return match[2] === undefined ? { name: match[1] } : { name: match[1], text: match[2] };
}

function find(settings: Settings, name: string): Found | undefined {
  const setting = own(settings, name);
  if (setting !== undefined) return setting.kind.toggle ? { name, setting, implied: 'true' } : { name, setting };
  const positive = name.startsWith('no-') ? name.slice(3) : '';
  const toggle = own(settings, positive);
  return toggle?.kind.toggle ? { name: positive, setting: toggle, implied: 'false' } : undefined;
}

function own(settings: Settings, name: string): Setting | undefined {
  const setting = Object.hasOwn(settings, name) ? settings[name] : undefined;
  return setting !== undefined && mayComeFrom(setting, 'flag') ? setting : undefined;
}

function refusal(found: Found, inline: string | undefined, earlier: string | undefined): string | undefined {
  if (found.implied === 'false' && inline !== undefined) return 'takes no value';
  if (earlier !== undefined && !found.setting.kind.list) return 'is given more than once';
  return undefined;
}

function isValue(arg: string | undefined): boolean {
  return arg !== undefined && !arg.startsWith('--');
}

function suggestFlag(settings: Settings, name: string): string {
  const flags = namesFrom(settings, 'flag').map((each) => `--${each}`);
  return suggestion(`--${name}`, flags);
}
