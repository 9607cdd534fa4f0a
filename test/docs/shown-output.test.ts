import t from 'tap'
import { differences } from './shown-output.js'

const right = [
  { language: 'json', shown: '{"a": 1}', printed: '{"b":[],"a":1}' },
  { language: 'json', shown: '{"at": "2026-11-20T13:00:00.1Z"}', printed: '{"at":"2031-01-02T03:04:05.678901Z"}' },
  { language: 'json', shown: '[{"key": "a:…:b"}]', printed: '[{"key":"a:4711:b"}]' },
  { language: 'text', shown: 'one   two\n', printed: 'one two' },
  { language: 'text', shown: 'first\n…\nlast', printed: 'first\nx\ny\nlast\n' },
  { language: 'text', shown: 'first\n…', printed: 'first\nx\ny\n' },
  { language: 'text', shown: 'size … KiB', printed: 'size 12.5 KiB' },
]
for (const { language, shown, printed } of right) {
  t.test(`${JSON.stringify(shown)} matches the output ${JSON.stringify(printed)}`, async t =>
    t.same(differences(language, shown, printed), []),
  )
}

const wrong = [
  { language: 'json', shown: '{"a": 1}', printed: '{"a":2}' },
  { language: 'json', shown: '{"a": 1}', printed: '{}' },
  { language: 'json', shown: '[]', printed: '[1]' },
  { language: 'json', shown: '{}', printed: 'curl: (7) Failed to connect' },
  { language: 'text', shown: 'one', printed: 'one\ntwo' },
  { language: 'text', shown: 'one\ntwo', printed: 'one' },
  { language: 'text', shown: '…\nlast', printed: 'first' },
]
for (const { language, shown, printed } of wrong) {
  t.test(`${JSON.stringify(shown)} does not match the output ${JSON.stringify(printed)}`, async t =>
    t.not(differences(language, shown, printed).length, 0),
  )
}
