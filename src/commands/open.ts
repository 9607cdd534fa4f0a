import { spawn } from 'node:child_process'
import { boolean, string } from '@oclif/core/flags'
import { LedgerCommand } from '../cli/base/ledger-command.js'
import { FILTER_FLAGS, filtersOf, timesOf } from '../cli/filter-flags.js'
import { toQueryString } from '../client/server-client.js'
import { findBrowser } from '../settings/browser.js'

export default class Open extends LedgerCommand {
  static override summary =
    'Opens the page of the ledger in a browser, with filters; prints its address where there is no browser.'
  static override description =
    'Uses the browser in BROWSER, else that of the system. In a pipe, with --print, and without a display, it only prints the address.'
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --outcome failed --from yesterday',
  ]
  static override flags = {
    ...FILTER_FLAGS,
    days: string({ description: 'The last N days (N × 24 h).', helpValue: '<n>' }),
    from: string({ description: 'Captured at this time or later: 1h, yesterday, 2026-11-20.', helpValue: '<time>' }),
    to: string({ description: 'Captured at this time or earlier.', helpValue: '<time>' }),
    print: boolean({ description: 'Only print the address.' }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(Open)
    const query = { ...filtersOf(flags), days: flags.days, ...timesOf(flags, ['from', 'to']) }
    const url = `${this.client(flags).name}/${toQueryString(query)}`
    const browser = this.isForPeople(flags) && !flags.print ? findBrowser(this.sources) : undefined
    if (browser !== undefined && (await start(browser, url))) return
    await this.showValue(
      { url },
      flags,
      async () =>
        ({ url }) =>
          url,
      { name: 'url' },
    )
  }
}

/** @returns whether the browser started */
function start(browser: string, url: string): Promise<boolean> {
  return new Promise(resolve => {
    const child = spawn(browser, [url], { stdio: 'ignore', detached: true })
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}
