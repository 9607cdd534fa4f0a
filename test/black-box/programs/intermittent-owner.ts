/**
 * A short command: acquires the ledger as soon as no server owns it, records a few events, releases it, and repeats.
 * Arguments: database, prefix of its keys, events each time, how long to try (milliseconds).
 * Prints a line of JSON after each step.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { readEvent } from '../../../src/ledger/read-event.js'
import { AppError } from '../../../src/model/app-error.js'
import { toTimestamp } from '../../../src/model/timestamp.js'
import { openLedger } from '../../../src/runtime/open-ledger.js'
import { readLocalSettings } from '../../../src/settings/local-settings.js'
import { processSources } from '../../../src/settings/reading/setting-sources.js'
import { entry } from '../entries.js'
import { monotonicNow } from '../owner-spans.js'

const [, , database = '', prefix = '', count = '1', patience = '1000'] = process.argv
const settings = readLocalSettings({ db: database }, processSources())
const deadline = monotonicNow() + Number(patience)

for (let time = 1; time <= 2; time += 1) await ownOnce(time)

async function ownOnce(time: number): Promise<void> {
  const opened = await openWhenFree()
  if (opened === undefined) return
  say({ opened: monotonicNow() })
  for (let n = 1; n <= Number(count); n += 1) {
    const event = readEvent(entry(`${prefix}/${time}/${n}`))
    const [outcome] = await opened.ledger.record([{ event, provenance: { route: 'import', verified: 'none' } }])
    if (outcome === undefined) throw new Error('One delivery has one outcome.')
    const { created, dedupeKey, seenCount, capturedAt } = outcome
    const recorded = { created, dedupe_key: dedupeKey, seen_count: seenCount, captured_at: toTimestamp(capturedAt) }
    say({ recorded, at: monotonicNow() })
  }
  say({ closing: monotonicNow() })
  await opened.close()
}

async function openWhenFree() {
  while (monotonicNow() < deadline) {
    try {
      return await openLedger(settings, 'command')
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'ledger_owned') throw error
      await sleep(5)
    }
  }
  return undefined
}

function say(step: object): void {
  process.stdout.write(`${JSON.stringify(step)}\n`)
}
