/** Announced with each change that revokes a credential, or changes what it allows. */
export const CHANGED_TOPIC = 'enrolment';
