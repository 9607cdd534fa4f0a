import fc from 'fast-check'
import t from 'tap'
import { createTerminalStyle } from '../../../src/cli/terminal/style.js'
import { displayWidth, wrapWords } from '../../../src/cli/terminal/text-width.js'
import { eventCard } from '../../../src/cli/views/events.js'
import { explanationText, platformSetupCard } from '../../../src/cli/views/platforms.js'
import type { DeliveryExplanation } from '../../../src/model/platforms/explanation.js'
import { messageCreated } from '../../support/events.js'

const LOOK = createTerminalStyle({ colour: false, columns: 60 })
/** Characters that a terminal must not receive, except the line breaks of the text. */
const COMMANDS = /[\x00-\x09\x0b-\x1f\x7f-\x9f]/

/** The words between blanks. */
const word = fc.string({ minLength: 1 }).filter(text => !text.includes(' '))

t.test('words are wrapped between words, and none is lost', async t => {
  t.same(wrapWords('one two three', 7), ['one two', 'three'])
  t.same(wrapWords('unbreakable', 4), ['unbreakable'])
  t.same(wrapWords('', 4), [''])
  fc.assert(
    fc.property(fc.array(word), fc.integer({ min: 1, max: 80 }), (words, columns) => {
      const text = words.join(' ')
      const lines = wrapWords(text, columns)
      t.equal(lines.join(' '), text)
      for (const line of lines) if (displayWidth(line) > columns) t.notMatch(line, / \S/)
    }),
    { numRuns: 50 },
  )
})

t.test('a setup is described from top to bottom, with the known facts', async t => {
  const setup = {
    source: 'chat',
    display_name: 'Zulip',
    url: 'https://ledger.example.org/webhooks/chat\u001b[2J',
    secret: { setting: 'EVENT_WEBHOOK_SECRET_CHAT', configured: true },
    place: ['Settings', 'Bots'],
    fields: [{ name: 'Endpoint URL', value: 'https://x' }],
    events: [],
    delivery_log: 'the conversation',
    notes: ['A note that is longer than one line of the terminal that it is for.'],
  }
  t.equal(
    platformSetupCard(setup, LOOK),
    [
      'Zulip → chat',
      '  address  https://ledger.example.org/webhooks/chat',
      '  secret   configured',
      '  setting  EVENT_WEBHOOK_SECRET_CHAT',
      '',
      'On the platform: Settings → Bots',
      '  Endpoint URL  https://x',
      '',
      'Notes',
      '  - A note that is longer than one line of the terminal that',
      '    it is for.',
    ].join('\n'),
  )
})

t.test('a new secret is on a line of its own below its setting, to be copied', async t => {
  const suggestion = '0123456789abcdef'.repeat(4)
  const setup = {
    source: 'code_a',
    display_name: 'GitHub',
    url: 'https://x',
    place: [],
    fields: [],
    events: [],
    notes: [],
    secret: { setting: 'EVENT_WEBHOOK_SECRET_CODE_A', configured: false, suggestion },
    delivery_log: 'the page of the hook',
  }
  const lines = platformSetupCard(setup, LOOK).split('\n')
  t.ok(lines.includes(`EVENT_WEBHOOK_SECRET_CODE_A=${suggestion}`))
  t.ok(lines.includes('  setting  EVENT_WEBHOOK_SECRET_CODE_A'))
})

t.test('a payload is shown as JSON, with Unicode line ends escaped', async t => {
  const { event } = messageCreated('x', { payload: { text: 'a\u2028b\u2029c\u200bd\u009be' } })
  t.match(
    eventCard(event, LOOK),
    String.raw`{
                "text": "a\u2028b\u2029c\u200bd\u009be"
              }`,
  )
})

t.test('an explanation of hostile texts does not control the terminal', async t => {
  const hostile = 'a\u001b]0;title\u0007b\rc\u009b31m'
  const explanation: DeliveryExplanation = {
    source: 'chat',
    ignored: 2,
    delivery_id: hostile,
    events: [
      {
        event: messageCreated(hostile, { payload: { text: hostile } }).event,
        reasons: {
          native_event: hostile,
          native_action: hostile,
          row: 'generic',
          scope_keys: [hostile],
          targets: [hostile],
          identity: { host: hostile, object_type: 'message', id: hostile, verb: 'created', from: 'delivery' },
        },
      },
    ],
  }
  const text = explanationText(explanation, LOOK)
  t.notMatch(text, COMMANDS)
  t.match(text, /chat: 1 event, 2 with nothing to record/)
  t.match(text, /generic/)
  t.match(text, /only this delivery/)
})
