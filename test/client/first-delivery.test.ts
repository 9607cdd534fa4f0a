import t from 'tap'
import { Answer } from '../../src/client/answer.js'
import type { Arrival } from '../../src/client/delivery-watch.js'
import type { EventParameters } from '../../src/client/event-pages.js'
import { firstDelivery } from '../../src/client/first-delivery.js'
import { askForWebhook } from '../../src/client/served-webhook.js'
import { AppError } from '../../src/model/app-error.js'

interface TestedEvent {
  subject_id: string
  seen_count: number
  last_seen_at: string
  provenance: { route: string; verified: string }
}

const at = (second: number) => `2031-05-04T09:00:${String(second).padStart(2, '0')}.000000Z`
const event = (subject_id: string, route: string, verified: string): TestedEvent => {
  return { subject_id, seen_count: 1, last_seen_at: at(0), provenance: { route, verified } }
}

/** Called before a request for new events is answered. Returns the new events. */
type Step = (ledger: TestedLedger) => unknown[]

const AWAY = new AppError('unavailable', 'server_unreachable', 'No server answers.')

/** A ledger that answers with one step after another. */
class TestedLedger {
  readonly asked: EventParameters[] = []
  failure: AppError | undefined
  secret_configured = true
  capture_modes = ['webhook']
  known: TestedEvent[] = []
  /** Of events that are not looked at any more as well. */
  duplicates = 0

  constructor(private readonly steps: Step[]) {}

  repeat(event: TestedEvent, second: number): void {
    this.duplicates += 1
    event.seen_count += 1
    event.last_seen_at = at(second)
  }

  async events(parameters: EventParameters): Promise<Answer> {
    this.asked.push(parameters)
    this.#check()
    const items = parameters.since === undefined ? this.known : (this.steps.shift()?.(this) ?? [])
    this.#check()
    return toAnswer({ items, next_since: at(0) })
  }

  async stats(): Promise<Answer> {
    this.#check()
    return toAnswer({ by_source: { forum: { duplicates: this.duplicates } } })
  }

  async platforms(): Promise<Answer> {
    this.#check()
    const { secret_configured, capture_modes } = this
    return toAnswer({ items: [{ source: 'forum', secret_configured, capture_modes }] })
  }

  #check(): void {
    if (this.failure) throw this.failure
  }
}

function toAnswer(value: unknown): Answer {
  return new Answer(200, Buffer.from(JSON.stringify(value)))
}

/** Waits until a delivery arrives, or all steps are done. */
async function wait(ledger: TestedLedger, whenAway: (ledger: TestedLedger) => void = () => undefined) {
  const reported: string[] = []
  const controller = new AbortController()
  const end = AbortSignal.timeout(120_000)
  end.addEventListener('abort', () => controller.abort())
  const report = (word: string) => (given?: unknown) => {
    reported.push(`${word}${isWebhook(given) ? ` ${given.isSecretConfigured ? 'with' : 'without'} secret` : ''}`)
  }
  const arrival = await firstDelivery(ledger, 'forum', {
    signal: controller.signal,
    onAway: report('away'),
    onBack: report('back'),
    onUnverified: report('unverified'),
    onRepeat: report('repeat'),
    sleep: async () => whenAway(ledger),
  })
  return { arrival, reported }
}

function isWebhook(value: unknown): value is { isSecretConfigured: boolean } {
  return typeof value === 'object' && value !== null && 'isSecretConfigured' in value
}

const verified: Step = () => [event('9', 'webhook', 'signature')]
const VERIFIED: Arrival = { event: event('9', 'webhook', 'signature'), isRepeat: false }

t.test('the first verified webhook event is found among any other events', async t => {
  const ledger = new TestedLedger([
    () => [event('1', 'api', 'none'), event('2', 'capture', 'login'), event('3', 'webhook', 'none'), {}, null],
    () => [],
    () => [event('4', 'webhook', 'none'), event('5', 'webhook', 'token'), event('6', 'webhook', 'signature')],
  ])
  const { arrival, reported } = await wait(ledger)
  t.match(arrival, { event: { subject_id: '5' }, isRepeat: false })
  t.strictSame(reported, ['unverified with secret'], 'reported once')
  t.match(
    ledger.asked.find(({ since }) => since),
    { source: 'forum', order: 'asc', wait: '2' },
  )
})

t.test('an unverified delivery is reported again after the server received its secret', async t => {
  const unverified: Step = () => [event('1', 'webhook', 'none')]
  const ledger = new TestedLedger([
    unverified,
    unverified,
    ledger => {
      ledger.secret_configured = true
      return unverified(ledger)
    },
    verified,
  ])
  ledger.secret_configured = false
  t.strictSame(await wait(ledger), {
    arrival: VERIFIED,
    reported: ['unverified without secret', 'unverified with secret'],
  })
})

t.test('a repeat counts as an arrival if the server accepts only verified deliveries', async t => {
  const known = event('1', 'webhook', 'none')
  const ledger = new TestedLedger([
    () => [],
    ledger => {
      ledger.repeat(known, 5)
      return []
    },
  ])
  ledger.known = [event('2', 'api', 'none'), known]
  const { arrival, reported } = await wait(ledger)
  t.match(arrival, { event: { subject_id: '1', seen_count: 2 }, isRepeat: true })
  t.strictSame(reported, [])
})

const doubtful: { name: string; prepare: (ledger: TestedLedger, known: TestedEvent) => void; reported: string }[] = [
  {
    name: 'the server has no secret',
    prepare: ledger => {
      ledger.secret_configured = false
    },
    reported: 'repeat without secret',
  },
  {
    name: 'the ledger fetches from the platform as well',
    prepare: ledger => {
      ledger.capture_modes = ['webhook', 'api_cursor']
    },
    reported: 'repeat with secret',
  },
  {
    name: 'the event came by another route first',
    prepare: (_, known) => {
      known.provenance.route = 'api'
    },
    reported: 'repeat with secret',
  },
  {
    name: 'the event is too old to be found',
    prepare: ledger => {
      ledger.known = []
    },
    reported: 'repeat with secret',
  },
]
for (const { name, prepare, reported } of doubtful) {
  t.test(`a repeat is reported, but does not count as verified, if ${name}`, async t => {
    const known = event('1', 'webhook', 'none')
    const again: Step = ledger => {
      ledger.repeat(known, 5)
      return []
    }
    const ledger = new TestedLedger([again, again, verified])
    ledger.known = [known]
    prepare(ledger, known)
    t.strictSame(await wait(ledger), { arrival: VERIFIED, reported: [reported] })
  })
}

t.test('a repeat from before the server had its secret does not count as verified, and the next one does', async t => {
  const known = event('1', 'webhook', 'none')
  const ledger = new TestedLedger([
    ledger => {
      ledger.repeat(known, 5)
      ledger.failure = AWAY
      return []
    },
    () => [],
    ledger => {
      ledger.repeat(known, 9)
      return []
    },
  ])
  ledger.known = [known]
  ledger.secret_configured = false
  const { arrival, reported } = await wait(ledger, ledger => {
    ledger.failure = undefined
    ledger.secret_configured = true
  })
  t.match(arrival, { event: { subject_id: '1', seen_count: 3 }, isRepeat: true })
  t.strictSame(reported, ['away', 'back', 'repeat with secret'])
})

t.test('repeats from before the wait do not count', async t => {
  const known = event('1', 'webhook', 'none')
  const ledger = new TestedLedger([() => [], verified])
  ledger.known = [known]
  ledger.repeat(known, 5)
  t.strictSame(await wait(ledger), { arrival: VERIFIED, reported: [] })
})

t.test('the wait continues through outages, at the start and later, and reports each once', async t => {
  const ledger = new TestedLedger([
    ledger => {
      ledger.failure = new AppError('unavailable', 'connection_lost', 'The connection broke.')
      return []
    },
    verified,
  ])
  ledger.failure = AWAY
  let tries = 0
  const result = await wait(ledger, ledger => {
    tries += 1
    if (tries % 3 === 0) ledger.failure = undefined
  })
  t.strictSame(result, { arrival: VERIFIED, reported: ['away', 'back', 'away', 'back'] })
  t.equal(tries, 6)
})

for (const failure of [
  new AppError('unauthenticated', 'unauthenticated', 'Who are you?'),
  new AppError('unavailable', 'not_a_ledger', 'Not as a ledger does.'),
]) {
  t.test(`${failure.code} ends the wait`, async t => {
    const ledger = new TestedLedger([])
    ledger.failure = failure
    await t.rejects(wait(ledger), failure)
  })
}

t.test('the wait ends when its caller aborts it', async t => {
  const controller = new AbortController()
  const ledger = new TestedLedger([
    () => {
      controller.abort()
      return []
    },
  ])
  const nothing = () => undefined
  const reported = { onAway: nothing, onBack: nothing, onUnverified: nothing, onRepeat: nothing }
  t.equal(await firstDelivery(ledger, 'forum', { signal: controller.signal, ...reported }), undefined)
})

t.test('the client asks a ledger for the events and the settings of a webhook', async t => {
  const items = [
    {
      source: 'chat',
      secret_configured: false,
      capture_modes: ['webhook', 'api_cursor'],
      site: 'https://chat.example.org',
    },
    { source: 'forum', secret_configured: true, capture_modes: ['webhook'] },
  ]
  const platforms = async () => toAnswer({ items })
  t.strictSame(await askForWebhook({ platforms }, 'forum'), { isSecretConfigured: true, isCaptured: false })
  t.strictSame(await askForWebhook({ platforms }, 'chat'), {
    isSecretConfigured: false,
    isCaptured: true,
    site: 'https://chat.example.org',
  })
  t.strictSame(await askForWebhook({ platforms }, 'code_a'), { isSecretConfigured: false, isCaptured: false })
})
