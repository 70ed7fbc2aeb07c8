/** The parts of an OpenAPI 3.1 document that describe requests and answers. */
export interface OpenapiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, JsonSchema>> };
}

interface OperationObject {
  readonly operationId?: string;
  readonly 'x-permission'?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly security?: readonly object[];
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export type Content = Readonly<Record<string, { readonly schema?: JsonSchema }>>;

export interface ResponseObject {
  readonly content?: Content;
}

export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly maxProperties?: number;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

export interface Operation {
  readonly id: string;
  readonly method: string;
  /** With parameter names in braces. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** By media type; `undefined` when it takes no body. */
  readonly body: Content | undefined;
  readonly needsCredentials: boolean;
  /** The permission a caller needs; `undefined` when the description does not say. */
  readonly permission: string | undefined;
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

export function operationsOf({ paths }: OpenapiDocument): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: operation.operationId ?? `${method} ${path}`,
      method: method.toUpperCase(),
      path,
      parameters: operation.parameters ?? [],
      body: operation.requestBody?.content,
      needsCredentials: (operation.security ?? []).length > 0,
      permission: operation['x-permission'],
      responses: operation.responses,
    })),
  );
}

/** The operation that a request line addresses, if any: the path may have been altered into another operation's. */
export function operationAt(operations: readonly Operation[], method: string, target: string): Operation | undefined {
  const [path = ''] = target.split('?');
  const found = operations.filter((operation) => operation.method === method && pathPattern(operation.path).test(path));
  // A path that matches `{revision}` may also match `{revision}:diff`, which is more specific.
  return found.toSorted((a, b) => b.path.length - a.path.length)[0];
}

/** Resolves references of a schema. */
export function resolveSchema(schema: JsonSchema, { components }: OpenapiDocument): JsonSchema {
  if (schema.$ref === undefined) return schema;
  const name = schema.$ref.replace('#/components/schemas/', '');
  const found = components?.schemas?.[name];
  if (found === undefined) throw new Error(`the description has no schema ${schema.$ref}`);
  return found;
}

function pathPattern(template: string): RegExp {
  const pieces = template.split(/\{[^}]+\}/).map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${pieces.join('[^/]+')}$`);
}
