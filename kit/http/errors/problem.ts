import { STATUS_CODES } from 'node:http';
import { Type } from 'typebox';
import { assertNever, type CatalogueEntry, type FieldFault, type FleetError } from '#kit/std';
import { HttpError } from './http-error.ts';

export const PROBLEM_TYPE = 'application/problem+json';

/** RFC 9457, with the members that every problem here has. The error's `details` are added to them. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly instance: string;
  readonly requestId: string;
  readonly faults?: readonly FieldFault[];
  readonly [detail: string]: unknown;
}

export interface ProblemContext {
  /** The requested path, without its query, which may hold private data. */
  readonly instance: string;
  readonly requestId: string;
}

/** The schema of the document for the API description. */
export const ProblemSchema = Type.Object(
  {
    type: Type.String({ description: 'The kind of problem: `urn:problem:` and the code.' }),
    title: Type.String({ description: 'The kind of problem in words.' }),
    status: Type.Integer({ description: 'The HTTP status of this response.' }),
    detail: Type.String({ description: 'An explanation of this problem, and how to fix it.' }),
    code: Type.String({ description: 'A stable code for programs, for example `validationFailed`.' }),
    instance: Type.String({ description: 'The requested path.' }),
    requestId: Type.String({ description: 'Identifies this request in the server logs.' }),
    faults: Type.Optional(
      Type.Array(
        Type.Object({
          path: Type.String({
            description: 'A JSON pointer into the body, or `query/name`, `path/name`, `header/name`.',
          }),
          message: Type.String(),
        }),
        { description: 'Every fault of the request.' },
      ),
    ),
  },
  { title: 'Problem', additionalProperties: true, description: 'RFC 9457 problem details.' },
);

export function toProblem(error: FleetError, context: ProblemContext): Problem {
  const { entry } = error;
  const status = statusOf(error);
  const code = wireCode(error.code);
  const shared = { type: `urn:problem:${code}`, title: titleOf(error, status), status, code, ...context };
  // DECISION: messages are shown as written, since they are meant for users; causes are not shown. Internal errors are
  // the exception: their messages are not written for users.
  if (entry.category === 'internal') return { ...shared, detail: internalDetail(context.requestId) };
  const faults = error.faults.length === 0 ? {} : { faults: error.faults };
  return { ...error.details, ...shared, detail: error.message, ...faults };
}

/** The headers of a problem response. */
export function problemHeaders(error: FleetError): Readonly<Record<string, string>> {
  const own = error instanceof HttpError ? error.headers : {};
  const status = statusOf(error);
  const waits = error.entry.retry === 'later' && (status === 503 || status === 429);
  return { 'content-type': PROBLEM_TYPE, ...(waits ? { 'retry-after': '1' } : {}), ...own };
}

export function statusOf(error: FleetError): number {
  return error instanceof HttpError ? error.entry.status : statusOfEntry(error.entry);
}

/** `NAME_TAKEN` is `nameTaken` on the wire. */
export function wireCode(code: string): string {
  return code.toLowerCase().replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function statusOfEntry({ category, retry }: CatalogueEntry): number {
  switch (category) {
    case 'invalid':
      return 400;
    case 'unauthenticated':
      return 401;
    case 'forbidden':
      return 403;
    case 'not-found':
      return 404;
    case 'conflict':
      return 409;
    case 'precondition':
      return 412;
    case 'exhausted':
      return retry === 'later' ? 429 : 507;
    case 'unavailable':
      return 503;
    case 'timeout':
      return 504;
    case 'internal':
      return 500;
    default:
      return assertNever(category, 'error category');
  }
}

function titleOf(error: FleetError, status: number): string {
  return error instanceof HttpError ? error.entry.title : (STATUS_CODES[status] ?? 'Problem');
}

function internalDetail(requestId: string): string {
  return `The server encountered an unexpected error. Try again; if it persists, report the request id ${requestId} to the operators.`;
}
