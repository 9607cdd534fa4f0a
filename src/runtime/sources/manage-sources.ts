import { LedgerClient } from '../../client/ledger-client.js'
import type { RemapOutcome, Sources } from '../../ledger/sources.js'
import type { FeedOutcome, ShownSource } from '../../model/sources/source-definition.js'
import type { LocalSettings } from '../../settings/local-settings.js'
import { changeOnce } from '../change-once.js'
import { openLedger } from '../open-ledger.js'
import { ledgerViaServerOrFile } from '../via-server-or-file.js'

/** The part of `Sources` that commands need. */
type ManagedSources = Pick<Sources, 'list' | 'get' | 'save' | 'delete' | 'remap' | 'readFeed'>

/**
 * Manages sources in the process that owns the ledger: the server that has it open, else this one.
 *
 * @param options `mayBeNew`: create the ledger if there is none
 * @throws AppError `not_found/ledger_missing`, `conflict/ledger_owned`, `unavailable/outcome_unknown`; as `work`
 */
export function manageSources<Result>(
  settings: LocalSettings,
  work: (sources: ManagedSources) => Promise<Result>,
  options?: { mayBeNew: boolean },
): Promise<Result> {
  return ledgerViaServerOrFile(
    settings.database,
    {
      server: (_, socketPath) => work(new RemoteSources(new LedgerClient({ socketPath }))),
      file: async () => {
        const opened = await openLedger(settings, 'command')
        try {
          return await work(opened.ledger.sources)
        } finally {
          await opened.close()
        }
      },
    },
    options,
  )
}

/** The sources of a ledger that a server has open. The server recognises commands by the socket that they use. */
class RemoteSources implements ManagedSources {
  constructor(private readonly client: LedgerClient) {}

  async list(): Promise<ShownSource[]> {
    return ((await this.client.sources()).json() as { items: ShownSource[] }).items
  }

  async get(name: string): Promise<ShownSource> {
    return (await this.client.source(name)).json() as ShownSource
  }

  async save(name: string, input: unknown): Promise<{ created: boolean; source: ShownSource }> {
    return (await once(this.client.saveSource(name, JSON.stringify(input)))).json() as {
      created: boolean
      source: ShownSource
    }
  }

  async delete(name: string): Promise<void> {
    await once(this.client.deleteSource(name))
  }

  async remap(name: string): Promise<RemapOutcome> {
    return (await this.client.remapSource(name)).json() as RemapOutcome
  }

  async readFeed(name: string): Promise<FeedOutcome> {
    return (await this.client.readFeed(name)).json() as FeedOutcome
  }
}

/** A repeat would report that a new source is an older one, or that a deleted one does not exist. */
function once<Result>(change: Promise<Result>): Promise<Result> {
  return changeOnce(change, 'Check with "daybook sources list".')
}
