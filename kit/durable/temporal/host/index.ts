// For the build of the published package: these import the SDK.
export { SANDBOX_DEFAULTS } from '../sandbox/sandbox-options.ts';
export { bundleWorkflows } from './bundle-workflows.ts';
