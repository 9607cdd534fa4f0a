import { AppError } from '../model/app-error.js'
import type { FeedState } from '../model/sources/source-definition.js'
import type { FeedVersion } from '../platforms/feeds/read-feed.js'
import { digestOf } from '../platforms/mapping/identifiers.js'
import type { Note, NoteStore } from '../store/note-store.js'

/** State that the last reading of a feed left. Without it, the whole feed is read. */
interface FeedReadingState {
  version?: FeedVersion
  failures: number
  state: FeedState
}

/** A feed and its definition. State that belongs to another definition is ignored. */
export interface DefinedFeed {
  name: string
  /** Everything that decides which items a reading finds. */
  definition: string
}

interface StoredReadingState extends FeedReadingState {
  /** A digest: the address of a feed may have a token. */
  definition: string
}

/**
 * State of feeds. It is in the store: all servers of a ledger share it, and it survives a restart.
 *
 * Source: docs/decisions/0087.
 */
export class FeedReadingStates {
  /**
   * States that could not be saved: a failure to save must not make the feed due early. Bounded by the number of
   * sources.
   */
  readonly #unsaved = new Map<string, StoredReadingState>()

  constructor(private readonly notes: NoteStore) {}

  async find(feed: DefinedFeed): Promise<FeedReadingState | undefined> {
    const note = await this.notes.find('feed', feed.name)
    return this.#current(feed, note && parse(note))
  }

  /** States by name, for those of the feeds that were read. */
  async states(feeds: readonly DefinedFeed[]): Promise<Map<string, FeedState>> {
    const states = new Map<string, FeedState>()
    if (feeds.length === 0) return states
    const notes = await this.notes.list('feed')
    const stored = new Map(notes.map(note => [note.name, parse(note)]))
    for (const feed of feeds) {
      const memory = this.#current(feed, stored.get(feed.name))
      if (memory) states.set(feed.name, memory.state)
    }
    return states
  }

  async save({ name, definition }: DefinedFeed, memory: FeedReadingState): Promise<void> {
    const stored: StoredReadingState = { definition: digestOf(definition), ...memory }
    try {
      await this.notes.save({ kind: 'feed', name, body: JSON.stringify(stored) })
      this.#unsaved.delete(name)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      this.#unsaved.set(name, stored)
    }
  }

  async forget(name: string): Promise<void> {
    this.#unsaved.delete(name)
    await this.notes.delete('feed', name)
  }

  /** Forgets sources that were deleted while they were read. @param list names of the existing sources */
  async forgetOthers(list: () => Promise<ReadonlySet<string>>): Promise<void> {
    const notes = await this.notes.list('feed')
    if (notes.length === 0) return
    // Listed after the notes: this does not forget a new source.
    const names = await list()
    for (const { name } of notes) if (!names.has(name)) await this.forget(name)
  }

  #current({ name, definition }: DefinedFeed, stored: StoredReadingState | undefined): FeedReadingState | undefined {
    const unsaved = this.#unsaved.get(name)
    const newest = unsaved && (!stored || unsaved.state.read_at > stored.state.read_at) ? unsaved : stored
    return newest?.definition === digestOf(definition) ? newest : undefined
  }
}

function parse({ body }: Note): StoredReadingState {
  return JSON.parse(body)
}
