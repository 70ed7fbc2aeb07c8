export { accessChangeOf } from './access-change-of.ts';
export { accessRoutes } from './access-routes.ts';
export { authorizerOf, visibilityOf } from './authorizer.ts';
export { type GrantDropper, grantDropper } from './drop-grants.ts';
export { IndexedDecisions } from './indexed-decisions.ts';
export { loadAccessIndex } from './load-access-index.ts';
export { ACCESS_MIGRATIONS } from './migrations.ts';
export { tokenRightsIn } from './token-rights.ts';
