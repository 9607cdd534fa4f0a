import type { Test } from 'tap'
import { type RunningServer, startServer } from '../black-box/running-server.js'
import { PageShell } from './page-shell.js'

/** The address that the pages are written for. */
const DOCUMENTED = 'http://127.0.0.1:8765'
const DOCUMENTED_HOME = '/home/you'

/** Somebody who follows a page: with a home, a terminal, and a server in another one. */
export class Reader {
  readonly #shell: PageShell
  #server: RunningServer | undefined

  constructor(
    private readonly t: Test,
    private readonly home: string,
  ) {
    this.#shell = new PageShell(t, home)
  }

  /** Starts the server, or stops it and starts it again with other settings. */
  async startServer(settings: string): Promise<void> {
    const { t, home } = this
    const env = Object.fromEntries(
      [...settings.matchAll(/([A-Z0-9_]+)=(\S+)/g)].map(([, name, value]) => [name, value]),
    )
    if (this.#server) t.match(await this.#server.stop(), { code: 0 })
    const port = this.#server ? Number(new URL(this.#server.url).port) : 0
    this.#server = await startServer(t, { home, env, port })
  }

  async run(block: string) {
    const address = this.#server?.url ?? DOCUMENTED
    const run = await this.#shell.run(block.replaceAll(DOCUMENTED, address), { EVENT_API_URL: address })
    return { ...run, out: run.out.replaceAll(address, DOCUMENTED).replaceAll(this.home, DOCUMENTED_HOME) }
  }
}
