import { setTimeout as sleep } from 'node:timers/promises'
import type { PostgresAddress } from '../../../model/postgres-address.js'
import { Connection, quoted } from './connection.js'

/** How long to wait before the next attempt to connect. */
const RETRY_MS = 500
/** How often `check` runs. It also notices a network that hangs without closing. */
const CHECK_MS = 5_000

interface ListenerOptions {
  address: PostgresAddress
  channel: string
  onNotification: (payload: string) => void
  /** Called when it listens again: notifications may have been missed. */
  onGap: () => void
  /** Looks for changes that no notification has announced. */
  check: (connection: Connection) => Promise<unknown>
}

/** Listens on a channel, on a connection of its own, which it opens again whenever it is lost. */
export class Listener {
  readonly #stop = new AbortController()
  readonly #ended: Promise<void>

  constructor(private readonly options: ListenerOptions) {
    this.#ended = this.#listen()
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#ended
  }

  async #listen(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      await this.#listenOnce(signal).catch(() => undefined) // later attempts and requests fail in the same way
      await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined) // aborted by `close`
    }
  }

  /** Until the connection is lost. */
  async #listenOnce(signal: AbortSignal): Promise<void> {
    const { address, channel, onNotification, onGap, check } = this.options
    const connection = await Connection.open(address, 'daybook notifications')
    try {
      const lost = new AbortController()
      connection.onNotification = onNotification
      connection.onEnd = () => lost.abort()
      await connection.script(`LISTEN ${quoted(channel)}`)
      onGap()
      while (!signal.aborted && !connection.isBroken) {
        await check(connection)
        await sleep(CHECK_MS, undefined, { signal: AbortSignal.any([signal, lost.signal]) }).catch(() => undefined)
      }
    } finally {
      await connection.close()
    }
  }
}
