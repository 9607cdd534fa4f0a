import type { SourceDefinition } from '../model/sources/source-definition.js'

/** A source that an operator has defined, as it is stored. */
export interface StoredSource {
  definition: SourceDefinition
  created_at: string
  updated_at: string
}

export interface SourceWithSecrets extends StoredSource {
  /** All currently valid secrets. They are stored separately from the definition, and no list contains them. */
  secrets: string[]
}

export interface ListedSource extends StoredSource {
  secret_count: number
}

export interface SourceToSave {
  definition: SourceDefinition
  /** Replaces the stored secrets; absent: they stay. */
  secrets?: readonly string[] | undefined
  now: string
}

/** Sources that operators define. */
export interface SourceStore {
  find(name: string): Promise<SourceWithSecrets | undefined>

  /** All, by name. */
  list(): Promise<ListedSource[]>

  /**
   * Creates a source or replaces the one with its name.
   *
   * @throws AppError `conflict/too_many_sources` for a new source if `most` exist already
   */
  save(source: SourceToSave, most: number): Promise<{ created: boolean; source: ListedSource }>

  /** Deletes it with its secrets. @returns whether it existed */
  delete(name: string): Promise<boolean>
}
