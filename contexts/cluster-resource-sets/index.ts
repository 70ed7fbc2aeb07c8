export { faultBody, faultText, type InvalidField } from './domain/field-fault.ts';
export { isEmptySelector, selectorFault, type WrittenSelector } from './domain/selector-fault.ts';
export type { SetOptions } from './domain/set-options.ts';
