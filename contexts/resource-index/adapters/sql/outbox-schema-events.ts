import type { Uuid } from '#kit/std';
import type { Transaction } from '#kit/storage';
import { appendEvents } from '#kit/storage/outbox';
import type { SchemaEvents } from '../../application/schemas/ports.ts';
import { schemaResource } from '../http/resources.ts';

/** Appends to the outbox, within one transaction. The data is the schema as the API shows it. */
export function outboxSchemaEvents(tx: Transaction, newId: () => Uuid): SchemaEvents {
  return {
    append: async (type, schema, time) => {
      const { workspace, name } = schema;
      const key = `workspaces/${workspace.name}/index-schemas/${name}`;
      const data = schemaResource(schema);
      await tx.batch(appendEvents([{ id: newId(), type, time, key, scope: workspace.name, data }]));
    },
  };
}
