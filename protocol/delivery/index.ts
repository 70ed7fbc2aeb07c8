export {
  type Acknowledgement,
  type AgentAcknowledgement,
  type DeliverOrder,
  type DeliveryOrder,
  type Document,
  DRIFT_POLICIES,
  type DriftPolicy,
  type OrderKey,
  type PreviewAnswer,
  type RemoveOrder,
} from './delivery-order.ts';
export type { DeliveryReport, Holding, Inventory, ReportContent } from './delivery-report.ts';
export { HEALTHS, type Health, type HealthRule } from './health.ts';
export { isLater, type OrderOrigin, whySuperseded } from './origin.ts';
export type { Handover, TargetObservation } from './target-observation.ts';
