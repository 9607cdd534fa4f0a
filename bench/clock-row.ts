/**
 * A model of servers that record into one ledger in PostgreSQL, as a queue for one row. Each server writes one group at
 * a time, takes its events when it gets the row, and holds the row to its commit. Times are in milliseconds. Nothing is
 * random: equal settings give equal results.
 *
 * Assumptions: every server and the database have their own processor; service times do not depend on load; servers get
 * the row in the order of arrival; every client sends its next event when the last one is answered.
 */
export interface ClockRowModel {
  servers: number
  /** Clients per server, each with one event in progress. */
  clients: number
  /** Time of a server's thread for one event: HTTP, checks, digest. */
  handleMs: number
  /** Time from the lock to the commit, for any group: the statements and their round trips. */
  groupMs: number
  /** Additional time from the lock to the commit, for each event of a group. */
  eventMs: number
  /** Time until the commit is durable on all required disks. */
  commitMs: number
  /** Maximum number of events of a group. */
  largestGroup: number
}

interface ClockRowRun {
  /** Events a second, of all servers together. */
  rate: number
  /** Average number of events of a group. */
  groupSize: number
  /** Median time from an event's arrival at the server to its answer. */
  p50Ms: number
  p99Ms: number
  /** Share of the time in which a group holds the row. */
  busy: number
}

interface Server {
  /** When its thread is free. */
  freeAt: number
  /** Instants of arrival of the events that the thread has handled and that wait for a group. */
  waiting: number[]
  /** It has the row, or waits for it. */
  writes: boolean
}

/** What happens at an instant. */
interface ScheduledStep {
  at: number
  run: () => void
}

/** @param ms how long to simulate, after a warm-up of the same length that is not counted */
export function simulateClockRow(model: ClockRowModel, ms: number): ClockRowRun {
  const { servers: count, clients, handleMs, groupMs, eventMs, commitMs, largestGroup } = model
  const schedule = new Schedule()
  const servers = Array.from({ length: count }, (): Server => ({ freeAt: 0, waiting: [], writes: false }))
  const latencies: number[] = []
  const queue: Server[] = []
  let isHeld = false
  let [busyMs, groups] = [0, 0]
  let now = 0
  const arrive = (server: Server, at: number) => {
    server.freeAt = Math.max(server.freeAt, at) + handleMs
    schedule.add({
      at: server.freeAt,
      run: () => {
        server.waiting.push(at)
        if (!server.writes) askForRow(server)
      },
    })
  }
  const askForRow = (server: Server) => {
    server.writes = true
    queue.push(server)
    if (!isHeld) grantRow()
  }
  const grantRow = () => {
    const server = queue.shift()
    isHeld = server !== undefined
    if (server) write(server)
  }
  const write = (server: Server) => {
    const group = server.waiting.splice(0, largestGroup)
    const holdMs = groupMs + eventMs * group.length + commitMs
    const end = now + holdMs
    schedule.add({
      at: end,
      run: () => {
        if (end > ms) {
          latencies.push(...group.map(arrived => end - arrived))
          busyMs += holdMs
          groups++
        }
        for (const _ of group) arrive(server, end)
        grantRow()
        server.writes = false
        if (server.waiting.length > 0) askForRow(server)
      },
    })
  }
  for (const server of servers) for (let client = 0; client < clients; client++) arrive(server, 0)
  for (let next = schedule.take(); next && next.at <= 2 * ms; next = schedule.take()) {
    now = next.at
    next.run()
  }
  latencies.sort((left, right) => left - right)
  const percentile = (part: number) => latencies[Math.floor(part * (latencies.length - 1))] ?? Number.NaN
  return {
    rate: (latencies.length / ms) * 1_000,
    groupSize: latencies.length / groups,
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
    busy: Math.min(1, busyMs / ms),
  }
}

type Numbered = ScheduledStep & { number: number }

/** A heap that returns the earliest item first, and among equal ones the one that was added first. */
class Schedule {
  readonly #heap: Numbered[] = []
  #added = 0

  add(step: ScheduledStep): void {
    const heap = this.#heap
    heap.push({ ...step, number: this.#added++ })
    for (let at = heap.length - 1; at > 0; ) {
      const parent = (at - 1) >> 1
      if (!this.#isBefore(at, parent)) return
      this.#swap(at, parent)
      at = parent
    }
  }

  take(): ScheduledStep | undefined {
    const heap = this.#heap
    const [first] = heap
    const last = heap.pop()
    if (!first || !last || first === last) return first
    heap[0] = last
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2]
      let least = at
      if (left < heap.length && this.#isBefore(left, least)) least = left
      if (right < heap.length && this.#isBefore(right, least)) least = right
      if (least === at) return first
      this.#swap(at, least)
      at = least
    }
  }

  #isBefore(left: number, right: number): boolean {
    const [one, other] = [this.#heap[left], this.#heap[right]] as [Numbered, Numbered]
    return one.at < other.at || (one.at === other.at && one.number < other.number)
  }

  #swap(left: number, right: number): void {
    const heap = this.#heap
    const [one, other] = [heap[left], heap[right]] as [Numbered, Numbered]
    heap[left] = other
    heap[right] = one
  }
}
