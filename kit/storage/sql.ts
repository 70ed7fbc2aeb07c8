/** The values a column can hold, on both engines. Booleans are 0 and 1, times are milliseconds, documents are JSON text. */
export type Value = string | number | null | Uint8Array;

/** Allowed in `${}`: a value, a boolean (stored as 0 or 1), or another piece of SQL. */
export type Parameter = Value | boolean | Statement;

/** SQL with its values passed separately, never inside the text. Only the `sql` tag creates it. */
export interface Statement {
  readonly parts: readonly string[];
  readonly values: readonly Value[];
  /** The number of rows it must change; otherwise the whole transaction is rolled back with `GUARD_FAILED`. */
  readonly expected?: number;
  /** Topic to announce when the transaction is committed. */
  readonly topic?: string;
}

/** `sql\`SELECT * FROM t WHERE id = ${id}\`` */
export function sql(strings: TemplateStringsArray, ...parameters: readonly Parameter[]): Statement {
  if (parameters.every(isValue)) return { parts: strings, values: parameters };
  const parts = [strings[0] ?? ''];
  const values: Value[] = [];
  parameters.forEach((parameter, index) => {
    if (isStatement(parameter)) append(parts, values, parameter);
    else {
      values.push(toValue(parameter));
      parts.push('');
    }
    parts[parts.length - 1] += strings[index + 1] ?? '';
  });
  return { parts, values };
}

/** SQL text written in the code: a column name chosen from a list, never external input. */
sql.raw = (text: string): Statement => ({ parts: [text], values: [] });

/** Joins pieces, by default with a comma. An empty list becomes `NULL`, so that `IN (${sql.list([])})` is valid. */
sql.list = (items: readonly Parameter[], separator = ', '): Statement => {
  if (items.length === 0) return sql.raw('NULL');
  const parts = [''];
  const values: Value[] = [];
  items.forEach((item, index) => {
    if (index > 0) parts[parts.length - 1] += separator;
    if (isStatement(item)) append(parts, values, item);
    else {
      values.push(toValue(item));
      parts.push('');
    }
  });
  return { parts, values };
};

/** The statement must change exactly this many rows. */
sql.expect = (rows: number, statement: Statement): Statement => ({ ...statement, expected: rows });

/** Calls the listeners of the topic when the statement is committed. */
sql.announce = (topic: string, statement: Statement): Statement => ({ ...statement, topic });

function append(parts: string[], values: Value[], piece: Statement): void {
  parts[parts.length - 1] += piece.parts[0] ?? '';
  parts.push(...piece.parts.slice(1));
  values.push(...piece.values);
}

function isStatement(parameter: Parameter): parameter is Statement {
  return typeof parameter === 'object' && parameter !== null && 'parts' in parameter;
}

function isValue(parameter: Parameter): parameter is Value {
  return (
    typeof parameter === 'string' ||
    (typeof parameter === 'number' && Number.isFinite(parameter)) ||
    parameter === null ||
    parameter instanceof Uint8Array
  );
}

function toValue(parameter: Exclude<Parameter, Statement>): Value {
  if (typeof parameter === 'boolean') return parameter ? 1 : 0;
  if (!isValue(parameter)) throw new TypeError(`not a value that a database can hold: ${String(parameter)}`);
  return parameter;
}
