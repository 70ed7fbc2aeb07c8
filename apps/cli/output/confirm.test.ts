import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from '../command.ts';
import { confirm } from './confirm.ts';

const IO = { out: () => {}, err: () => {}, errIsTerminal: false, environment: {} };
const signal = new AbortController().signal;

for (const { answer, want } of [
  { answer: 'y', want: true },
  { answer: ' YES ', want: true },
  { answer: '', want: false },
  { answer: 'no', want: false },
  { answer: 'yesterday', want: false },
]) {
  test(`"${answer}" is ${want ? 'a yes' : 'no yes'}`, async () => {
    let asked = '';
    const ask = async (question: string): Promise<string> => {
      asked = question;
      return answer;
    };
    assert.equal(await confirm({ ...IO, ask }, { what: 'All goes.', isAgreed: false }, signal), want);
    assert.equal(asked, 'All goes. Continue? [y/N] ');
  });
}

test('what was agreed to is not asked again', async () => {
  assert.equal(await confirm(IO, { what: 'All goes.', isAgreed: true }, signal), true);
});

test('where nobody could answer, it has to be said beforehand', async () => {
  await assert.rejects(confirm(IO, { what: 'All goes.', isAgreed: false }, signal), UsageError);
});
