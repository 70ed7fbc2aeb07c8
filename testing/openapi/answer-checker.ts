import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import {
  type OpenapiDocument,
  type Operation,
  operationAt,
  operationsOf,
  type ResponseObject,
} from './api-description.ts';
import type { FuzzCallers } from './fuzz-callers.ts';
import type { FuzzAnswer, FuzzRequest } from './fuzz-request.ts';

/** Finds faults in an answer, using the API description alone. */
export class AnswerChecker {
  readonly #operations: readonly Operation[];
  readonly #callers: Pick<FuzzCallers, 'nameOf'>;
  readonly #ajv: Ajv2020;
  /** The representation seen for each etag. */
  readonly #shown = new Map<string, string>();

  constructor(document: OpenapiDocument, callers: Pick<FuzzCallers, 'nameOf'>) {
    this.#operations = operationsOf(document);
    this.#callers = callers;
    this.#ajv = new Ajv2020({ strict: false, validateSchema: false, validateFormats: true });
    addFormats.default(this.#ajv);
    this.#ajv.addSchema({ ...document }, DOCUMENT);
  }

  faultIn(request: FuzzRequest, answer: FuzzAnswer): string | undefined {
    const { status } = answer;
    if (status >= 500) return `${status}`;
    const operation = this.#operationFor(request);
    if (operation === undefined && status < 400) return `${status}, and no operation is described there`;
    const isKnown = this.#callers.nameOf(request.headers['authorization']) !== undefined;
    if (status < 400 && operation?.needsCredentials && !isKnown) {
      return `${status} without credentials`;
    }
    const described = responseFor(operation ?? request.operation, status);
    if (described === undefined) return `${status}, which is not described`;
    // Whatever the headers of a HEAD or 304 announce, no body follows.
    if (request.method === 'HEAD' || status === 304) return answer.body === '' ? undefined : `${status} with a body`;
    return this.#faultInBody(described, answer) ?? this.#faultInRepresentation(request, answer);
  }

  #operationFor({ method, target }: FuzzRequest): Operation | undefined {
    return operationAt(this.#operations, method === 'HEAD' ? 'GET' : method, target);
  }

  #faultInBody({ response, pointer }: Described, { status, headers, body }: FuzzAnswer): string | undefined {
    const { content } = response;
    if (content === undefined) return body === '' ? undefined : `${status} with a body, and none is described`;
    const type = (headers['content-type'] ?? '').split(';')[0]?.trim() ?? '';
    if (content[type] === undefined) return `${status} as "${type}", which is not described`;
    const value = type.endsWith('json') ? parsed(body) : body;
    if (value === undefined) return `${status} with a body that is not JSON`;
    if (type === 'text/event-stream') return faultInFrames(body);
    const validate = this.#ajv.getSchema(`${DOCUMENT}#${pointer}/content/${escape(type)}/schema`);
    if (validate === undefined) return `${status} as ${type}, whose schema is not there`;
    if (validate(value) !== true) return `${status} outside its schema: ${this.#ajv.errorsText(validate.errors)}`;
    if (status >= 400 && isObject(value) && value['status'] !== status)
      return `${status}, and the problem says another`;
    return undefined;
  }

  /**
   * Two answers with the same etag must show the same representation. Previews are exempt: they show a state that never
   * existed.
   */
  #faultInRepresentation({ target }: FuzzRequest, { headers, body }: FuzzAnswer): string | undefined {
    if (!headers['content-type']?.startsWith('application/json') || /[?&]dryRun=/.test(target)) return undefined;
    for (const [etag, text] of representationsIn(JSON.parse(body))) {
      const before = this.#shown.get(etag) ?? text;
      if (before !== text) return `under the etag ${etag} it was ${before} and is ${text}`;
      this.#shown.set(etag, text);
    }
    return undefined;
  }
}

const DOCUMENT = 'openapi.json';

interface Described {
  readonly response: ResponseObject;
  /** JSON pointer to its schema in the document. */
  readonly pointer: string;
}

function responseFor({ path, method, responses }: Operation, status: number): Described | undefined {
  const range = `${Math.floor(status / 100)}XX`;
  const key = [String(status), range, 'default'].find((candidate) => responses[candidate] !== undefined);
  const response = key === undefined ? undefined : responses[key];
  if (response === undefined) return undefined;
  return { response, pointer: `/paths/${escape(path)}/${method.toLowerCase()}/responses/${key}` };
}

/** Escapes a segment of a JSON pointer in a URI. */
function escape(segment: string): string {
  return encodeURIComponent(segment.replaceAll('~', '~0').replaceAll('/', '~1'));
}

/** Every complete frame must have only fields of the standard, and JSON as data. */
function faultInFrames(text: string): string | undefined {
  const complete = text.slice(0, text.lastIndexOf('\n\n') + 1);
  const strange = complete.split('\n').find((line) => !/^(?:$|:|(?:id|event|retry): .)/.test(line) && !isData(line));
  return strange === undefined ? undefined : `a stream with the line ${JSON.stringify(strange)}`;
}

function isData(line: string): boolean {
  return line.startsWith('data: ') && parsed(line.slice('data: '.length)) !== undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function* representationsIn(value: unknown): Generator<readonly [string, string]> {
  if (Array.isArray(value)) for (const item of value) yield* representationsIn(item);
  if (!isObject(value)) return;
  if (typeof value['etag'] === 'string') yield [value['etag'], JSON.stringify(sorted(value))];
  else for (const item of Object.values(value)) yield* representationsIn(item);
}

function sorted(value: unknown): unknown {
  if (!isObject(value)) return value;
  const entries = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
