import t from 'tap'
import { Answer } from '../../src/client/answer.js'
import type { EventParameters } from '../../src/client/event-parameters.js'
import { firstDelivery } from '../../src/client/first-delivery.js'
import { isSecretConfigured } from '../../src/client/platform-list.js'
import { AppError } from '../../src/model/app-error.js'

const event = (subject_id: string, route: string, verified: string) => ({ subject_id, provenance: { route, verified } })

/** A ledger that answers each question with the next page. */
function ledgerOf(pages: unknown[][]) {
  const asked: EventParameters[] = []
  return {
    asked,
    async events(parameters: EventParameters) {
      asked.push(parameters)
      const items = parameters.since === undefined ? [] : (pages.shift() ?? [])
      return new Answer(200, Buffer.from(JSON.stringify({ items, next_since: '2031-05-04T09:00:00.000000Z' })))
    },
  }
}

t.test('the first event that a webhook proves is found, whatever comes before', async t => {
  const ledger = ledgerOf([
    [event('1', 'api', 'none'), event('2', 'capture', 'login'), event('3', 'webhook', 'none'), {}, null],
    [],
    [event('4', 'webhook', 'none'), event('5', 'webhook', 'token'), event('6', 'webhook', 'signature')],
  ])
  let unverified = 0
  const { signal } = new AbortController()
  const found = await firstDelivery(ledger, 'chat', { signal, onUnverified: () => unverified++ })
  t.match(found, { subject_id: '5' })
  t.equal(unverified, 1, 'told once')
  t.match(ledger.asked[1], { source: 'chat', order: 'asc' })
})

t.test('nobody who reads any more ends the waiting', async t => {
  const controller = new AbortController()
  const ledger = ledgerOf([])
  const events = async (parameters: EventParameters) => {
    if (ledger.asked.length === 3) controller.abort()
    return ledger.events(parameters)
  }
  t.equal(
    await firstDelivery({ events }, 'chat', { signal: controller.signal, onUnverified: () => undefined }),
    undefined,
  )
})

t.test('a ledger is asked whether it has a secret, and need not be there', async t => {
  const items = [
    { source: 'chat', secret_configured: false },
    { source: 'forum', secret_configured: true },
  ]
  const platforms = async () => new Answer(200, Buffer.from(JSON.stringify({ items })))
  t.equal(await isSecretConfigured({ platforms }, 'forum'), true)
  t.equal(await isSecretConfigured({ platforms }, 'chat'), false)
  t.equal(await isSecretConfigured({ platforms }, 'code_a'), false)
  const gone = async () => {
    throw new AppError('unavailable', 'server_unreachable', 'No server answers.')
  }
  t.equal(await isSecretConfigured({ platforms: gone }, 'forum'), undefined)
  const refusing = async () => {
    throw new AppError('unauthenticated', 'login_required', 'Who are you?')
  }
  await t.rejects(isSecretConfigured({ platforms: refusing }, 'forum'), { code: 'login_required' })
})
