import { Environment } from '@marcbachmann/cel-js';
import type { RuleEvaluator } from '../domain/health/judge-health.ts';

type Program = (context: { readonly object: unknown }) => unknown;

const MAX_PROGRAMS = 1_000;

/** Rules in CEL. What was compiled once is kept; the bound is far above what the deployments of a cluster have. */
export function celHealthRules(): RuleEvaluator {
  const environment = new Environment({ limits: { maxAstNodes: 250, maxDepth: 32 } }).registerVariable('object', 'dyn');
  const programs = new Map<string, Program>();
  return (rule, object) => {
    try {
      const program = programs.get(rule) ?? environment.parse(rule);
      if (programs.size >= MAX_PROGRAMS) programs.clear();
      programs.set(rule, program);
      const answer: unknown = program({ object });
      return typeof answer === 'boolean' ? answer : 'it is neither true nor false';
    } catch (error) {
      return error instanceof Error && 'summary' in error ? String(error.summary) : 'it cannot be evaluated';
    }
  };
}
