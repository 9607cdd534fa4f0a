import type { Identity } from '../../accounts/identity.js'
import { AppError } from '../../model/app-error.js'
import type { NewEvent, Provenance, Verification } from '../../model/events/event.js'

/** What a caller of `POST /api/events` may record, how its events are marked, and what its answer shows. */
export interface RecordingRights {
  provenance: Provenance
  /** The answer shows the stored event. False for a caller who may not read events. */
  showsEvent: boolean
  /** The only sources that a writer token may record. */
  sources?: readonly string[]
  /** Whether the caller sent no credentials to a closed ledger. */
  isAnonymous: boolean
}

const ANONYMOUS: RecordingRights = {
  provenance: { route: 'api', verified: 'none', key_space: 'unverified' },
  showsEvent: false,
  isAnonymous: true,
}
const OPEN: RecordingRights = known('none')
const LOGGED_IN: RecordingRights = known('login')
const TOKEN: RecordingRights = known('token')

/** Source: decisions on the event, "Default dedupe key"; docs/decisions/0019. */
export function recordingRightsOf(identity: Identity): RecordingRights {
  switch (identity.kind) {
    case 'anonymous':
    case 'reader': // Never reached: its token does not admit it to these routes.
      return ANONYMOUS
    case 'open':
      return OPEN
    case 'session':
      return LOGGED_IN
    case 'bootstrap_admin':
    case 'token':
      return TOKEN
    case 'writer':
      return { provenance: TOKEN.provenance, showsEvent: false, sources: identity.sources, isAnonymous: false }
  }
}

function known(verified: Verification): RecordingRights {
  return { provenance: { route: 'api', verified }, showsEvent: true, isAnonymous: false }
}

/**
 * Refuses events that a writer token may not record: those of other sources, and those whose dedupe key does not begin
 * with one of its own sources. Otherwise it could occupy the key of another source's event, or find out whether that
 * event exists.
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
