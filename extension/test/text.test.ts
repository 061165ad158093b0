import assert from 'node:assert/strict';
import test from 'node:test';
import { head, label, notice, plain } from '../src/text';
import { hostile } from './loop';

test('text without controls, in one line', () => {
  assert.equal(plain('a\tb\n\u001b[31mc\u202Ed\u0000'), 'a b [31mcd');
  assert.equal(head('ab\ncdef', 4), 'ab …');
  assert.equal(head('😀😀😀', 3), '😀😀😀');
  assert.equal(head('👩\u200d💻👩\u200d💻👩\u200d💻', 2), '👩\u200d💻…', 'joined emoji stay whole');
  assert.equal(head('x'.repeat(1e6), 10).length, 10);
});

test('hostile text is neither an icon nor a link', () => {
  for (const shown of [label(hostile, 500), notice(hostile, 500)]) {
    assert.doesNotMatch(shown, /\$\(/);
    assert.doesNotMatch(shown, /[\u0000-\u001f\u202a-\u202e]/);
  }
  assert.doesNotMatch(notice(hostile, 500), /\]\(/);
  // What a cut joins is no link either.
  assert.doesNotMatch(notice('[a]\u200b(command:x)', 500), /\]\(/);
});
