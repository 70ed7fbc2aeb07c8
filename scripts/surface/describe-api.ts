/** The part of an OpenAPI document that is read. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

interface Operation {
  readonly operationId?: string;
  readonly parameters?: readonly {
    readonly in: string;
    readonly name: string;
    readonly required?: boolean;
    readonly schema?: unknown;
  }[];
  readonly requestBody?: { readonly content?: Content };
  readonly responses?: Readonly<Record<string, { readonly headers?: object; readonly content?: Content }>>;
  readonly security?: unknown;
  readonly [extension: `x-${string}`]: unknown;
}

type Content = Readonly<Record<string, { readonly schema?: unknown }>>;

interface Schema {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
}

/** For people only: a text may be improved without a change of the interface. */
const PROSE = new Set(['description', 'summary', 'title', 'example', 'examples']);

/** One line for each parameter, body, response and field, in an order that does not depend on the declaration. */
export function describeApi({ paths, components }: ApiDocument): readonly string[] {
  const operations = sorted(paths).flatMap(([path, methods]) =>
    sorted(methods).flatMap(([method, operation]) => describeOperation(`${method.toUpperCase()} ${path}`, operation)),
  );
  const schemas = sorted(components?.schemas ?? {}).flatMap(([name, schema]) => describeSchema(name, schema));
  return [...operations, ...schemas];
}

function describeOperation(route: string, operation: Operation): readonly string[] {
  const { operationId = '', parameters = [], requestBody, responses = {}, security } = operation;
  const extensions = sorted({ ...operation }).filter(([key]) => key.startsWith('x-'));
  const given = parameters.map(
    ({ in: place, name, required, schema }) => `${place} ${name}${required ? ' (required)' : ''} ${compact(schema)}`,
  );
  const answers = sorted(responses).map(([status, { headers = {}, content = {} }]) => {
    const names = Object.keys(headers).toSorted();
    return [status, ...bodiesOf(content), ...(names.length > 0 ? [`headers ${names.join(', ')}`] : [])].join(' ');
  });
  return [
    `${route} ${operationId}`,
    ...extensions.map(([key, value]) => `  ${key} ${compact(value)}`),
    ...(security === undefined ? [] : [`  security ${compact(security)}`]),
    ...given.toSorted().map((line) => `  ${line}`),
    ...bodiesOf(requestBody?.content ?? {}).map((body) => `  body ${body}`),
    ...answers.map((answer) => `  answers ${answer}`),
  ];
}

function bodiesOf(content: Content): readonly string[] {
  return sorted(content).map(([type, { schema }]) => `${type} ${compact(schema)}`);
}

function describeSchema(name: string, schema: Schema): readonly string[] {
  const { properties = {}, required = [], ...rest } = schema;
  const fields = sorted(properties).map(
    ([field, value]) => `  ${field}${required.includes(field) ? ' (required)' : ''} ${compact(value)}`,
  );
  return [`schema ${name} ${compact(rest)}`, ...fields];
}

/** JSON in one line, with sorted keys and without prose. A property that has the name of prose stays. */
function compact(value: unknown): string {
  return JSON.stringify(cleaned(value)) ?? '';
}

function cleaned(value: unknown, areNames = false): unknown {
  if (Array.isArray(value)) return value.map((each) => cleaned(each));
  if (typeof value !== 'object' || value === null) return value;
  const entries = sorted(value as Readonly<Record<string, unknown>>).filter(([key]) => areNames || !PROSE.has(key));
  return Object.fromEntries(entries.map(([key, each]) => [key, cleaned(each, key === 'properties' && !areNames)]));
}

function sorted<T>(record: Readonly<Record<string, T>>): [string, T][] {
  return Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
