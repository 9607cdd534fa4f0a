import { AppError } from '../model/app-error.js'
import type { FeedState } from '../model/sources/source-definition.js'
import type { FeedVersion } from '../platforms/feeds/read-feed.js'
import { digestOf } from '../platforms/mapping/identity.js'
import type { Note, NoteStore } from '../store/note-store.js'

/** What the last reading of a feed has left. Without it, a feed is read whole. */
export interface FeedMemory {
  version?: FeedVersion
  failures: number
  state: FeedState
}

/** A feed as it is defined: what is remembered of another definition does not count. */
export interface DefinedFeed {
  name: string
  /** All that decides what a reading finds. */
  definition: string
}

interface StoredMemory extends FeedMemory {
  /** A digest: the address of a feed may have a token. */
  definition: string
}

/**
 * What is remembered of feeds, in the store: for all servers of a ledger, and after a restart.
 *
 * Source: docs/decisions/0087.
 */
export class FeedMemories {
  /** Those that could not be saved: a feed is not read again sooner because of that. Bounded by the number of sources. */
  readonly #unsaved = new Map<string, StoredMemory>()

  constructor(private readonly notes: NoteStore) {}

  async find(feed: DefinedFeed): Promise<FeedMemory | undefined> {
    const note = await this.notes.find('feed', feed.name)
    return this.#current(feed, note && parse(note))
  }

  /** States of the feeds among these that were read, by name. */
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

  async save({ name, definition }: DefinedFeed, memory: FeedMemory): Promise<void> {
    const stored: StoredMemory = { definition: digestOf(definition), ...memory }
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

  /** Forgets sources that were deleted while they were read. @param list the names of those that there are */
  async forgetOthers(list: () => Promise<ReadonlySet<string>>): Promise<void> {
    const notes = await this.notes.list('feed')
    if (notes.length === 0) return
    // Listed after the notes: a source that is new is not forgotten.
    const names = await list()
    for (const { name } of notes) if (!names.has(name)) await this.forget(name)
  }

  #current({ name, definition }: DefinedFeed, stored: StoredMemory | undefined): FeedMemory | undefined {
    const unsaved = this.#unsaved.get(name)
    const newest = unsaved && (!stored || unsaved.state.read_at > stored.state.read_at) ? unsaved : stored
    return newest?.definition === digestOf(definition) ? newest : undefined
  }
}

function parse({ body }: Note): StoredMemory {
  return JSON.parse(body)
}
