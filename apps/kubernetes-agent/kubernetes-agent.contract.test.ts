import { fakePorts } from '../../contexts/kubernetes/testing/fake-ports.ts';
import { kubernetesAgentContract } from './testing/kubernetes-agent-contract.ts';

kubernetesAgentContract('kubernetes, in memory', async () => ({ ports: fakePorts(), close: async () => {} }));
