export {
  DeadLetterBox,
  type DeadLetterSource,
  type DeadLetterSummary,
  purgeDeadLetters,
  type SetAside,
} from './dead-letter-box.ts';
export { DEAD_LETTER_MIGRATIONS } from './dead-letter-migrations.ts';
