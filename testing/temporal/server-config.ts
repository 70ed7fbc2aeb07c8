const SERVICES = ['frontend', 'history', 'matching', 'worker'] as const;

/** One for HTTP, and two for each service. */
export const PORT_COUNT = 1 + 2 * SERVICES.length;

/**
 * Removes delays by which a production server saves work. By default, timers may fire a second late, a run starts at
 * least a second after the start of the previous one, and there are limits of ten list calls and one new namespace per
 * second.
 */
export const QUICK_SETTINGS = {
  'history.timerProcessorMaxTimeShift': [{ value: '10ms' }],
  'history.workflowIdReuseMinimalInterval': [{ value: '0s' }],
  'frontend.namespaceRPS.visibility': [{ value: 1_000 }],
  'frontend.namespaceRPS.namespaceReplicationInducingAPIs': [{ value: 1_000 }],
};

/** The whole server in one process, with in-memory databases. The first two ports are the frontend's HTTP and gRPC. */
export function serverConfig(ports: readonly number[], dynamicConfigFile: string): object {
  const [httpPort, grpcPort] = ports;
  const services = SERVICES.map((service, index): [string, object] => {
    const rpc = { grpcPort: ports[1 + 2 * index], membershipPort: ports[2 + 2 * index], bindOnLocalHost: true };
    return [service, { rpc: service === 'frontend' ? { ...rpc, httpPort } : rpc }];
  });
  return {
    log: { stdout: true, level: 'warn' },
    persistence: {
      defaultStore: 'default',
      visibilityStore: 'visibility',
      numHistoryShards: 4,
      datastores: { default: inMemory('default'), visibility: inMemory('visibility') },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' } },
    services: Object.fromEntries(services),
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: {
          enabled: true,
          initialFailoverVersion: 1,
          rpcName: 'frontend',
          rpcAddress: `127.0.0.1:${grpcPort}`,
          httpAddress: `127.0.0.1:${httpPort}`,
        },
      },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    dynamicConfigClient: { filepath: dynamicConfigFile, pollInterval: '10s' },
  };
}

function inMemory(databaseName: string): object {
  return {
    sql: {
      pluginName: 'sqlite',
      databaseName,
      connectAddr: 'localhost',
      connectProtocol: 'tcp',
      connectAttributes: { mode: 'memory', cache: 'private' },
      maxConns: 1,
      maxIdleConns: 1,
      maxConnLifetime: '1h',
    },
  };
}
