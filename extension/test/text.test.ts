import assert from 'node:assert/strict';
import test from 'node:test';
import { duration, escapeHtml, head, label, lines, notice, plain } from '../src/text';
import { hostile } from './loop';

test('text without controls, in one line', () => {
  assert.equal(plain('a\tb\n\u001b[31mc\u202Ed\u0000'), 'a b [31mcd');
  assert.equal(lines('a\r\n\tb\u200b\u2066c'), 'a\n  bc');
  assert.equal(head('ab\ncdef', 4), 'ab …');
  assert.equal(head('😀😀😀', 3), '😀😀😀');
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
  assert.equal(escapeHtml(`<a href='"&">`), '&#60;a href=&#39;&#34;&#38;&#34;&#62;');
});

test('durations', () => {
  const got = [0, 45.4, 60, 200, 3600, 7500, -3].map(duration);
  assert.deepEqual(got, ['0 s', '45 s', '1 min', '3 min 20 s', '1 h', '2 h 5 min', '0 s']);
});
