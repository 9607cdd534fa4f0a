import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import type { Ledger } from '../../src/ledger/ledger.js'
import type { StoredEvent } from '../../src/model/events/event.js'
import type { Subscription } from '../../src/model/subscriptions/subscription.js'
import { openLedger } from '../../src/runtime/open-ledger.js'
import { readLocalSettings } from '../../src/settings/local-settings.js'
import { runInHost } from '../commands/command-host.js'
import { allEvents, WATCH } from '../runtime/capture/capture-rig.js'
import { memorySources } from '../settings/memory-sources.js'
import type { ChatServer } from '../support/chat-server/chat-server.js'
import { type Child, startChild } from './child.js'
import { ownFolder } from './own-folder.js'
import { environment } from './running-server.js'

const COMMAND = ['capture', 'subscription-once', 'deploys', '--backfill', '1000000', '--json']
const DAYBOOK = fileURLToPath(new URL('../../../bin/run.js', import.meta.url))

/** A ledger with a watch of a chat server, captured by separate processes. */
export class CaptureCommand {
  private constructor(
    private readonly t: Test,
    private readonly chat: ChatServer,
    /** `EVENT_DB` */
    readonly database: string,
  ) {}

  static async prepare(t: Test, chat: ChatServer, database: string): Promise<CaptureCommand> {
    const command = new CaptureCommand(t, chat, database)
    await command.#withLedger(ledger => ledger.saveSubscription({ ...WATCH, metadata: { interval_seconds: 1 } }))
    return command
  }

  /** Settings of the chat server for a process. */
  get env(): Record<string, string> {
    const { url, email, apiKey } = this.chat
    return { EVENT_CHAT_URL: url, EVENT_CHAT_EMAIL: email, EVENT_CHAT_API_KEY: apiKey, EVENT_DB: this.database }
  }

  /** @param options of Node */
  start(options: readonly string[] = []): Child {
    return startChild(this.t, [...options, DAYBOOK, ...COMMAND], { env: this.#environment() })
  }

  /** Runs the command to its end, in the process of the commands, for what needs no kill. @returns its exit code */
  async run(): Promise<number> {
    const { code } = await runInHost({ argv: COMMAND, env: this.#environment(), input: '' })
    return code
  }

  /** The events of the ledger, once no process has it open. */
  read(): Promise<{ events: StoredEvent[]; watch: Subscription }> {
    return this.#withLedger(async ledger => {
      return { events: await allEvents(ledger), watch: await ledger.getSubscription('deploys') }
    })
  }

  #environment(): Record<string, string> {
    return environment({ home: ownFolder(this.t), env: this.env })
  }

  async #withLedger<Result>(work: (ledger: Ledger) => Promise<Result>): Promise<Result> {
    const settings = readLocalSettings({}, memorySources({ env: { EVENT_DB: this.database } }))
    const opened = await openLedger(settings, 'command')
    try {
      return await work(opened.ledger)
    } finally {
      await opened.close()
    }
  }
}
