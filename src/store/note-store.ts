/**
 * `deliveries`: what arrived at the webhooks. `feed`: the last reading of a feed. `comparison`: the last comparison with the
 * lists of a platform; `running_comparison`: the one in progress.
 */
export type NoteKind = 'deliveries' | 'feed' | 'comparison' | 'running_comparison'

export interface Note {
  name: string
  /** Increases with each change. */
  revision: number
  /** The content, as JSON text. */
  body: string
}

export interface NoteToSave {
  kind: NoteKind
  name: string
  /** The content, as JSON text; its writer bounds it. */
  body: string
  /** Replaces no other revision than this one; 0: replaces none. Absent: replaces any. A missing note is always created. */
  replaces?: number
}

/** @param row `name`, `revision`, `body` */
export function toNote({ name, revision, body }: Record<string, unknown>): Note {
  return { name: String(name), revision: Number(revision), body: String(body) }
}

/**
 * State that the servers of a ledger keep about their work. Losing it loses no event: the work starts over. It contains
 * no secret and nothing of a delivery's body. Every engine proves it with the same tests
 * (`test/store/note-store-conformance.ts`). Source: docs/decisions/0087.
 */
export interface NoteStore {
  find(kind: NoteKind, name: string): Promise<Note | undefined>

  /** All of a kind, by name. */
  list(kind: NoteKind): Promise<Note[]>

  /** Creates or replaces a note. @returns false if another revision than `replaces` is stored */
  save(note: NoteToSave): Promise<boolean>

  /** @returns whether it existed */
  delete(kind: NoteKind, name: string): Promise<boolean>
}
