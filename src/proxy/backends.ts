import { dirname } from 'node:path'
import { AppError } from '../model/app-error.js'
import { type BackendProfile, type BackendProfiles, readBackendProfiles } from './backend-profile.js'
import { unknownProfile } from './proxy-path.js'
import { type FileContent, WatchedFile } from './watched-file.js'

/** Another board, and our key for it. */
export interface Backend {
  profile: BackendProfile
  /** Absent for a board that requires none. */
  key: string | undefined
}

/** A profile with its backend, or with the problem that makes it unusable. */
export type BackendState = { name: string; url?: string } & ({ backend: Backend } | { problem: string })

interface BackendsParts {
  /** `backends.json` of the board's home folder; it may be missing. */
  file: string
  /** Wall clock, in epoch milliseconds. */
  nowMs: () => number
  /** Called once for each problem with the files; the sentence never contains their content. */
  warn: (sentence: string) => void
}

const MAX_FILE_BYTES = 256 * 1024
const MAX_KEY_BYTES = 4 * 1024
/** More than the warnings that one file of profiles can cause. */
const MAX_WARNINGS = 1_000
const HEADER_WORD = /^[\x21-\x7e]{1,512}$/
const NONE: BackendProfiles = { usable: new Map(), refused: new Map() }

/**
 * The other boards to which this one forwards requests. The file of profiles and the key files are checked at each use,
 * so a change takes effect immediately. A problem in them makes profiles unusable, not the board. After a broken change
 * the previous profiles are not used either, so that the mistake is noticed.
 *
 * Source: decisions on the board, section 8.
 */
export class Backends {
  readonly #profiles: WatchedFile<BackendProfiles | string>
  readonly #keys = new Map<string, WatchedFile<string>>()
  readonly #warned = new Set<string>()

  constructor(private readonly parts: BackendsParts) {
    const folder = dirname(parts.file)
    this.#profiles = new WatchedFile({
      path: parts.file,
      maxBytes: MAX_FILE_BYTES,
      read: text => readBackendProfiles(text, folder),
      nowMs: parts.nowMs,
    })
  }

  /**
   * A profile with its key.
   *
   * @throws AppError `not_found/not_found`, `unavailable/backends_invalid` if it, or the whole file, cannot be used
   */
  async getBackend(name: string): Promise<Backend> {
    const { usable, refused } = await this.#read()
    const profile = usable.get(name)
    const problem = refused.get(name)
    if (problem !== undefined) throw unusable(profileProblem(name, problem))
    if (!profile) throw unknownProfile()
    return { profile, key: await this.#keyOf(profile) }
  }

  /** The valid profiles; their keys need not be readable. @throws AppError `unavailable/backends_invalid` */
  async listProfiles(): Promise<BackendProfile[]> {
    return [...(await this.#read()).usable.values()]
  }

  /** Every profile with its state. @throws AppError `unavailable/backends_invalid` */
  async states(): Promise<BackendState[]> {
    const { usable, refused } = await this.#read()
    const states: BackendState[] = [...refused].map(([name, problem]) => ({ name, problem }))
    for (const profile of usable.values()) {
      const { name, url } = profile
      try {
        states.push({ name, url, backend: { profile, key: await this.#keyOf(profile) } })
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        states.push({ name, url, problem: error.message })
      }
    }
    return states
  }

  async #read(): Promise<BackendProfiles> {
    const profiles = profilesIn(await this.#profiles.current())
    if (typeof profiles === 'string') {
      const problem = `The backend profiles cannot be used. ${profiles}`
      this.#warn(problem)
      throw unusable(problem)
    }
    for (const [name, problem] of profiles.refused) this.#warn(profileProblem(name, problem))
    return profiles
  }

  async #keyOf({ name, keyFile }: BackendProfile): Promise<string | undefined> {
    if (keyFile === undefined) return undefined
    const state = await this.#watchKey(keyFile).current()
    const key = state.kind === 'read' ? state.value.trim() : undefined
    if (key === undefined || !HEADER_WORD.test(key)) {
      const problem = profileProblem(name, `Its key file ${keyProblem(state)}.`)
      this.#warn(problem)
      throw unusable(problem)
    }
    if (state.kind === 'read' && state.isOpenToOthers) {
      this.#warn(`The key file of the backend "${name}" can be read by other users. "chmod 600" prevents that.`)
    }
    return key
  }

  #watchKey(path: string): WatchedFile<string> {
    const known = this.#keys.get(path)
    if (known) return known
    // Otherwise paths that no profile names any more would accumulate with each change of the file.
    if (this.#keys.size >= MAX_WARNINGS) this.#keys.clear()
    const watched = new WatchedFile({ path, maxBytes: MAX_KEY_BYTES, read: text => text, nowMs: this.parts.nowMs })
    this.#keys.set(path, watched)
    return watched
  }

  #warn(sentence: string): void {
    if (this.#warned.has(sentence)) return
    if (this.#warned.size >= MAX_WARNINGS) this.#warned.clear()
    this.#warned.add(sentence)
    this.parts.warn(sentence)
  }
}

function profilesIn(state: FileContent<BackendProfiles | string>): BackendProfiles | string {
  if (state.kind === 'missing') return NONE
  if (state.kind === 'unusable') return `backends.json ${state.reason}.`
  return typeof state.value === 'string' ? `backends.json is not valid: ${state.value}` : state.value
}

function keyProblem(state: FileContent<string>): string {
  if (state.kind === 'missing') return 'does not exist'
  if (state.kind === 'unusable') return state.reason
  return 'is not one word of up to 512 printable ASCII characters'
}

function profileProblem(name: string, problem: string): string {
  return `The backend profile "${name}" cannot be used. ${problem}`
}

function unusable(problem: string): AppError {
  return new AppError('unavailable', 'backends_invalid', problem, { retryAfterSeconds: 60 })
}
