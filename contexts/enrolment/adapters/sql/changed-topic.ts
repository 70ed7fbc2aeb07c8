/** Announced with each change after which somebody is to be let in no longer, or for something else. */
export const CHANGED_TOPIC = 'enrolment';
