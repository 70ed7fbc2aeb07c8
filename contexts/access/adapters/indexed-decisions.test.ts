import { AccessIndex } from '../domain/access-index.ts';
import { accessDecisionsContract } from '../testing/access-decisions-contract.ts';
import { IndexedDecisions } from './indexed-decisions.ts';

accessDecisionsContract('index', async (changes) => {
  const index = new AccessIndex();
  for (const change of changes) index.apply(change);
  return new IndexedDecisions(index);
});
