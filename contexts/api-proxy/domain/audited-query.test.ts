import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { auditedQuery } from './audited-query.ts';

const POD = '/api/v1/namespaces/shop/pods/web';

describe('what an audit entry names beyond the path', () => {
  for (const { why, path, named } of [
    {
      why: 'the container and the whole command of exec',
      path: `${POD}/exec?command=sh&command=-c&command=rm+-rf+%2Fdata&container=app&stdin=true&tty=true`,
      named: '?command=sh&command=-c&command=rm+-rf+%2Fdata&container=app',
    },
    { why: 'the container of attach', path: `${POD}/attach?container=app&stdout=true`, named: '?container=app' },
    { why: 'the ports of port-forward', path: `${POD}/portforward?ports=8080`, named: '?ports=8080' },
    {
      why: 'the command of exec, behind parameters that exec has no use for',
      path: `${POD}/exec?ports=${'1'.repeat(2_000)}&command=id`,
      named: '?command=id',
    },
    { why: 'nothing without a query', path: `${POD}/portforward`, named: '' },
    { why: 'nothing of other requests', path: `${POD}?command=sh`, named: '' },
    { why: 'nothing of logs', path: `${POD}/log?container=app`, named: '' },
  ]) {
    it(why, () => assert.equal(auditedQuery(path), named));
  }
});
