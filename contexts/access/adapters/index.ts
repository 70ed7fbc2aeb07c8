export { accessChangeOf } from './access-change-of.ts';
export { type AccessRoutesDeps, accessRoutes } from './access-routes.ts';
export { type GrantDropper, type GrantDropperDeps, grantDropper } from './drop-grants.ts';
export { authorizerOf, visibilityOf } from './index-authorizer.ts';
export { loadAccessIndex } from './load-access-index.ts';
export { ACCESS_MIGRATIONS } from './migrations.ts';
