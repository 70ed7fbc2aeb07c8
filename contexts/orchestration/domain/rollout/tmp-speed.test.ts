import { BUILT_IN_GATES } from './gates/built-in-gates.ts';
import { createDecide } from './machine/decide.ts';
import { REVISION, rolloutOf, idOf } from './testing/a-rollout.ts';
import { namesOf } from './testing/rollout-run.ts';
const decide = createDecide(BUILT_IN_GATES);
for (const n of [1000, 10000]) for (const spec of [{type:'immediate', maxConcurrency: 100},{type:'immediate'},{type:'rolling',batchSize:1},{type:'rolling',batchSize:'10%',maxUnavailable:'10%'}]) {
  const names = namesOf(n);
  let t0 = performance.now();
  let state = rolloutOf(spec, names.map((name) => ({ name })));
  const built = performance.now() - t0; t0 = performance.now();
  const queue: any[] = [{ kind: 'started' }];
  let told = 0, now = 0;
  while (queue.length) {
    const h = queue.shift();
    const d = decide(state, h, now++); told++;
    state = d.state;
    for (const a of d.actions) if (a.kind === 'generateAndDeliver') queue.push({ kind: 'delivered', target: a.target, changed: true }, { kind: 'healthChanged', target: a.target, health: 'Available', revision: REVISION });
  }
  console.log(n, JSON.stringify(spec), 'build', built.toFixed(0), 'run', (performance.now() - t0).toFixed(0), 'ms', told, 'happenings', ((performance.now() - t0) / told * 1000).toFixed(1), 'us', state.phase.kind, 'json', JSON.stringify(state).length);
}
