export type {
  AdmissionRequest,
  GroupVersionKind,
  GroupVersionResource,
  Operation,
  UserInfo,
} from './admission-request.ts';
export {
  type MutatingDefinition,
  mutatingWebhook,
  type ValidatingDefinition,
  validatingWebhook,
} from './admission-webhooks.ts';
export type { CertificateFiles } from './certificate-files.ts';
export { type ConversionDefinition, conversionWebhook } from './conversion-webhook.ts';
export { diffJson, type PatchOperation } from './json-patch.ts';
export {
  type Allowed,
  allow,
  type Changed,
  change,
  type Denied,
  type DenyOptions,
  deny,
  type MutatingVerdict,
  type Patched,
  patch,
  type Verdict,
  type VerdictExtras,
} from './verdict.ts';
export type { Webhook, WebhookContext } from './webhook.ts';
export { WEBHOOK_ERRORS, WebhookError, type WebhookErrorCode } from './webhook-error.ts';
export {
  type WebhookLimits,
  WebhookServer,
  type WebhookServerDeps,
  type WebhookServerOptions,
} from './webhook-server.ts';
