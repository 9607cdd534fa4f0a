import type { Identity } from '../../accounts/identity.js'
import { AppError } from '../../model/app-error.js'
import type { NewEvent, Provenance } from '../../model/events/event.js'

/** What a caller of `POST /api/events` may record, how its events are marked, and what its answer shows. */
export interface RecordingRights {
  provenance: Provenance
  /** The answer shows the stored event. False for a caller who may not read events. */
  showsEvent: boolean
  /** The only sources that a writer token may record. */
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
 * Refuses events that a writer token may not record: those of other sources, and those whose dedupe key does not begin with
 * one of its own. With another key it could occupy the key of another source's event, or find out whether that event exists.
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
