import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SERVINGS } from './control-message.ts';
import { type StandingClaim, speakerOf } from './takeover.ts';

/** Sessions and times come from a counter, so that shrinking is only about locations and the order of claims. */
const claims = fc
  .array(fc.constantFrom(...SERVINGS), { minLength: 1, maxLength: 12 })
  .map((servings) => servings.map((serving, at): StandingClaim => ({ session: `s${at}`, serving, since: at })));
const shuffled = claims.chain((all) =>
  fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length })),
);

test('safety: nobody who is away from a target speaks for it while somebody who is there claims it', () => {
  fc.assert(
    fc.property(claims, (all) => {
      const someoneIsThere = all.some(({ serving }) => serving === 'colocated');
      return !someoneIsThere || speakerOf(all)?.serving === 'colocated';
    }),
  );
});

test('safety: in which order claims are told of decides nothing, so that to connect again takes nothing over', () => {
  fc.assert(fc.property(shuffled, ([all, mixed]) => speakerOf(all)?.session === speakerOf(mixed)?.session));
});

test('whoever goes without having spoken changes nothing', () => {
  fc.assert(
    fc.property(claims, fc.nat(), (all, pick) => {
      const speaker = speakerOf(all);
      const others = all.filter((claim) => claim !== speaker);
      const gone = others[pick % Math.max(1, others.length)];
      assert.equal(speakerOf(all.filter((claim) => claim !== gone))?.session, speaker?.session);
    }),
  );
});

test('liveness: a new claim of one that is there always wins', () => {
  fc.assert(
    fc.property(claims, (all) => {
      const newest: StandingClaim = { session: 'new', serving: 'colocated', since: all.length };
      return speakerOf([newest, ...all]) === newest;
    }),
  );
});
