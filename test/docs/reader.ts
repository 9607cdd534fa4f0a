import type { Test } from 'tap'
import { type ServerHere, serveHere } from '../runtime/serve/serve-here.js'
import { freePort } from '../support/free-port.js'
import { PageShell } from './page-shell.js'

/** The addresses that the pages are written for. */
const DOCUMENTED = 'http://127.0.0.1:8765'
const DOCUMENTED_BOARD = 'http://127.0.0.1:8766'
const DOCUMENTED_HOME = '/home/you'

/** Documented addresses, and the addresses in this test. */
export type Addresses = Readonly<Record<string, string>>

/** A user who follows a page: with a home, a terminal, and a server in another terminal. */
export class Reader {
  readonly #shell: PageShell
  #server: ServerHere | undefined
  /** Of the server, also of one that another process runs. */
  #urls = { ledger: DOCUMENTED, board: DOCUMENTED_BOARD }
  /** Of every server, as the pages have it. */
  #port: string | undefined

  constructor(
    private readonly t: Test,
    private readonly home: string,
    private readonly addresses: Addresses = {},
  ) {
    this.#shell = new PageShell(t, home)
  }

  /** Starts the server, or stops it and starts it again with other settings. */
  async startServer(settings: string): Promise<void> {
    const { t, home } = this
    const env = Object.fromEntries(
      [...settings.matchAll(/([A-Z0-9_]+)=(\S+)/g)].map(([, name, value]) => [name, value]),
    )
    await this.#server?.close()
    this.#port ??= String(await freePort())
    this.#server = await serveHere(t, { home, env, port: this.#port })
    this.useServer({ ledger: this.#server.url, board: this.#server.boardUrl })
  }

  /** A server that runs already. */
  useServer(urls: { ledger: string; board: string }): void {
    this.#urls = urls
  }

  async run(block: string) {
    const { ledger, board } = this.#urls
    const addresses = Object.entries({ ...this.addresses, [DOCUMENTED]: ledger, [DOCUMENTED_BOARD]: board })
    const typed = addresses.reduce((text, [documented, real]) => text.replaceAll(documented, real), block)
    const run = await this.#shell.run(typed, { EVENT_API_URL: ledger, BOARD_API_URL: board })
    return { ...run, out: toDocumented(run.out, addresses).replaceAll(this.home, DOCUMENTED_HOME) }
  }
}

/** What was printed, as if the documented addresses had answered. */
function toDocumented(printed: string, addresses: readonly [documented: string, real: string][]): string {
  return addresses.reduce((text, [documented, real]) => {
    return text.replaceAll(real, documented).replaceAll(new URL(real).host, new URL(documented).host)
  }, printed)
}
