export { celHealthRules } from './cel-health-rules.ts';
