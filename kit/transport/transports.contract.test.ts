import { transportContract } from './testing/transport-contract.ts';
import {
  grpcOnUnixSocketUnderTest,
  grpcUnderTest,
  makeTestTls,
  memoryUnderTest,
  webSocketUnderTest,
} from './testing/transport-stages.ts';

const tls = makeTestTls();

transportContract(memoryUnderTest());
transportContract(grpcUnderTest());
transportContract(grpcUnderTest(tls));
transportContract(grpcOnUnixSocketUnderTest());
transportContract(webSocketUnderTest());
transportContract(webSocketUnderTest(tls));
