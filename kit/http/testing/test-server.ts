import {
  type Authorizer,
  createHttpServer,
  type HttpLimits,
  type HttpLog,
  type HttpLogFields,
  type HttpServer,
  type HttpServerDeps,
  type Principal,
  type Route,
} from '../index.ts';

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly fields: HttpLogFields;
  readonly message: string;
}

export class MemoryLog implements HttpLog {
  readonly lines: LogLine[] = [];

  debug(fields: HttpLogFields, message: string): void {
    this.lines.push({ level: 'debug', fields, message });
  }

  info(fields: HttpLogFields, message: string): void {
    this.lines.push({ level: 'info', fields, message });
  }

  warn(fields: HttpLogFields, message: string): void {
    this.lines.push({ level: 'warn', fields, message });
  }

  error(fields: HttpLogFields, message: string): void {
    this.lines.push({ level: 'error', fields, message });
  }

  at(level: LogLine['level']): LogLine[] {
    return this.lines.filter((line) => line.level === level);
  }
}

/** `Bearer alice` is Alice. */
export const AS_ALICE = { authorization: 'Bearer alice' };

export interface TestServer {
  readonly server: HttpServer;
  readonly log: MemoryLog;
}

export interface TestServerOptions extends Partial<Omit<HttpServerDeps, 'routes' | 'log'>> {
  readonly limits?: Partial<HttpLimits>;
  readonly allow?: (principal: Principal, permission: string) => boolean;
  readonly quietRequests?: boolean;
}

/** A server for tests: every token is a user of that name with all permissions, except for one token that is invalid. */
export async function testServer(routes: readonly Route[], options: TestServerOptions = {}): Promise<TestServer> {
  const { limits, allow, quietRequests = false, ...deps } = options;
  const log = new MemoryLog();
  const authorizer: Authorizer = {
    allow: async ({ principal, permission }) => allow?.(principal, permission) ?? true,
  };
  const server = await createHttpServer(
    {
      api: { title: 'Things', version: '1.2.3' },
      realm: 'things',
      metricsPermission: 'metrics.read',
      verifyResponses: true,
      quietRequests,
      ...(limits ? { limits } : {}),
    },
    {
      routes,
      log,
      authenticator: {
        authenticate: async ({ bearer }) =>
          bearer === undefined || bearer === 'nobody' ? undefined : { kind: 'user', id: bearer },
      },
      authorizer,
      probes: [],
      metrics: { contentType: 'text/plain; version=0.0.4', text: async () => 'things_total 1\n' },
      ...deps,
    },
  );
  return { server, log };
}
