import { UsageError } from '../cli/command.ts';

const FLAG = '--kubernetes';
const USUAL = 2;
const MOST = 9;

/** Parses `--kubernetes`, `--kubernetes 3` or `--kubernetes=3`, and returns the other arguments. */
export function kubernetesFlag(args: readonly string[]): { readonly count: number; readonly rest: readonly string[] } {
  const at = args.findIndex((arg) => arg === FLAG || arg.startsWith(`${FLAG}=`));
  const given = args[at];
  if (given === undefined) return { count: 0, rest: args };
  const next = args[at + 1];
  const isNext = given === FLAG && next !== undefined && !next.startsWith('-');
  const said = given === FLAG ? (isNext ? next : String(USUAL)) : given.slice(FLAG.length + 1);
  const count = /^\d$/.test(said) ? Number(said) : 0;
  if (count < 1) throw new UsageError(`${FLAG} ${said}: is not a number of clusters, from 1 to ${MOST}`);
  return { count, rest: args.toSpliced(at, isNext ? 2 : 1) };
}
