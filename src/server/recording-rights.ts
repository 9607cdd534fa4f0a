import type { Identity } from '../accounts/identity.js'
import { AppError } from '../model/app-error.js'
import type { NewEvent, Provenance } from '../model/events/event.js'

/** What a caller of `POST /api/events` may record, how its events are marked, and what it is shown. */
export interface RecordingRights {
  provenance: Provenance
  /** The answer shows the stored event. A caller who may not read events does not get to see one. */
  showsEvent: boolean
  /** Of a writer token: it records events of these sources alone. */
  sources?: readonly string[]
  /** No credentials, on a closed ledger. */
  isStranger: boolean
}

const KNOWN = { showsEvent: true, isStranger: false }

/** Source: decisions on the event, "Default dedupe key"; docs/decisions/0019. */
export function recordingRightsOf(identity: Identity): RecordingRights {
  switch (identity.kind) {
    case 'anonymous': {
      const provenance: Provenance = { route: 'api', verified: 'none', key_space: 'unverified' }
      return { provenance, showsEvent: false, isStranger: true }
    }
    case 'open':
      return { ...KNOWN, provenance: { route: 'api', verified: 'none' } }
    case 'session':
      return { ...KNOWN, provenance: { route: 'api', verified: 'login' } }
    case 'bootstrap_admin':
    case 'token':
      return { ...KNOWN, provenance: { route: 'api', verified: 'token' } }
    case 'writer': {
      const { sources } = identity
      return { sources, provenance: { route: 'api', verified: 'token' }, showsEvent: false, isStranger: false }
    }
  }
}

/**
 * Refuses what a writer token may not record: events of other sources, and dedupe keys that do not begin with one of its
 * own. With another key it could take the place of an event of another source, or ask whether that one exists.
 *
 * @throws AppError `forbidden/forbidden`
 */
export function refuseForeignSource({ source, dedupe_key }: NewEvent, sources: readonly string[]): void {
  const limit = `This token records events of ${sources.join(', ')}`
  if (!sources.includes(source)) {
    throw new AppError('forbidden', 'forbidden', `${limit}, but the source of the event is ${source}.`)
  }
  if (!sources.some(own => dedupe_key.startsWith(`${own}:`))) {
    throw new AppError(
      'forbidden',
      'forbidden',
      `${limit}, so its dedupe keys begin with ${sources[0]}: or the like.`,
      {
        hint: 'Put the source and a colon before the key.',
      },
    )
  }
}
