export {
  DeadLetterBox,
  type DeadLetterSource,
  type DeadLetterSummary,
  purgeDeadLetters,
  type SetAside,
} from './dead-letter-box.ts';
export { DeadLetterError } from './dead-letter-error.ts';
export { DEAD_LETTER_MIGRATIONS } from './dead-letter-migrations.ts';
export {
  countLetters,
  discardLetter,
  findLetter,
  isReplayable,
  LETTER_SOURCES,
  type Letter,
  type LetterKey,
  listLetters,
  replayLetter,
} from './letters.ts';
