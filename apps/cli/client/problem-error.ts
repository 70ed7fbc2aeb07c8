import { printable } from '../output/printable.ts';
import { ClientError, type ClientErrorCode } from './client-error.ts';
import { parseJson } from './parse-json.ts';
import type { Received } from './send-request.ts';

const CODES: Readonly<Record<number, ClientErrorCode>> = {
  401: 'NOT_AUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  410: 'EVENTS_GONE',
  412: 'CONFLICT',
  429: 'SERVER_BUSY',
  503: 'SERVER_BUSY',
  504: 'SERVER_BUSY',
};

/**
 * Formats a problem document as a sentence followed by the errors of each field. Undefined when it is not a problem
 * document.
 */
export function problemError({ status, contentType, text }: Received): ClientError | undefined {
  if (status < 400 || !contentType.startsWith('application/problem+json')) return undefined;
  const problem = parseJson(text);
  if (!isProblem(problem)) return undefined;
  const lines = [problem.detail, ...faultsOf(problem.faults).map((fault) => `  ${fault}`)];
  const code = CODES[status] ?? (status >= 500 ? 'SERVER_FAILED' : 'REQUEST_INVALID');
  const details = typeof problem.code === 'string' ? { problem: problem.code } : {};
  return new ClientError(code, lines.map(printable).join('\n'), { details });
}

function isProblem(problem: unknown): problem is { detail: string; code?: unknown; faults?: unknown } {
  return typeof problem === 'object' && problem !== null && 'detail' in problem && typeof problem.detail === 'string';
}

function faultsOf(faults: unknown): string[] {
  if (!Array.isArray(faults)) return [];
  return faults.filter(isFault).map(({ path, message }) => `${path}: ${message}`);
}

function isFault(fault: unknown): fault is { path: string; message: string } {
  if (typeof fault !== 'object' || fault === null) return false;
  return 'path' in fault && typeof fault.path === 'string' && 'message' in fault && typeof fault.message === 'string';
}
