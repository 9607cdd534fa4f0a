import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { startChild } from './child.js'
import type { Recorded } from './entries.js'
import type { OwnerSpan } from './owner-spans.js'
import { environment } from './running-server.js'
import type { SentEvents } from './sent-events.js'

const PROGRAM = fileURLToPath(new URL('./programs/intermittent-owner.js', import.meta.url))
const TIMES = 2
const EVENTS = 3

interface Step {
  opened?: number
  recorded?: Recorded
  at?: number
  closing?: number
}

export interface IntermittentOwner {
  kill(): void
  /** Adds the recorded events to `sentEvents`. @returns when it owned the ledger */
  settle(): Promise<OwnerSpan[]>
}

/** Starts a process that briefly owns the ledger whenever no server does, and records its own events. */
export function startIntermittentOwner(
  t: Test,
  {
    database,
    sentEvents,
    prefix,
    patienceMs,
  }: { database: string; sentEvents: SentEvents; prefix: string; patienceMs: number },
): IntermittentOwner {
  const child = startChild(t, [PROGRAM, database, prefix, String(EVENTS), String(patienceMs)], {
    env: environment({ database }),
  })
  // It may be killed before it reports what it has done, so everything that it may do counts as sent.
  for (let time = 1; time <= TIMES; time += 1) {
    for (let n = 1; n <= EVENTS; n += 1) sentEvents.attempt(`${prefix}/${time}/${n}`)
  }
  return {
    kill: () => child.signal('SIGKILL'),
    settle: async () => {
      const { code, signal, out, err } = await child.ended
      if (code !== 0 && signal !== 'SIGKILL') sentEvents.problems.push(`a command ended with ${code}: ${err}`)
      const steps = out
        .split('\n')
        .slice(0, -1)
        .map(line => JSON.parse(line) as Step)
      for (const { recorded } of steps) if (recorded) sentEvents.acknowledge(recorded)
      return toSpans(`command ${child.pid}`, steps)
    },
  }
}

function toSpans(who: string, steps: readonly Step[]): OwnerSpan[] {
  const spans: OwnerSpan[] = []
  for (const { opened, at, closing } of steps) {
    if (opened !== undefined) spans.push({ who, from: opened, to: opened })
    const current = spans.at(-1)
    if (current) current.to = closing ?? at ?? current.to
  }
  return spans
}
