import { isBinaryMode } from '../../platforms/cloud-events/binary-mode.js'
import type { HttpRequest } from '../http/route.js'
import { readMediaType } from '../request/media-type.js'

export const LINES = 'application/x-ndjson'
export const CLOUD_EVENT = 'application/cloudevents+json'
export const CLOUD_EVENTS_BATCH = 'application/cloudevents-batch+json'
const MEDIA_TYPES = ['application/json', LINES, CLOUD_EVENT, CLOUD_EVENTS_BATCH] as const
const NAMES_CLOUD_EVENTS = /^[ \t]*application\/cloudevents/iu

/** The format of the events of a request: a media type, or the binary mode of CloudEvents. */
type EventForm = (typeof MEDIA_TYPES)[number] | 'binary'

/**
 * A content type of CloudEvents takes precedence over headers of the binary mode, in which the body may have any type.
 * A page of another origin can send those headers and media types only after a preflight, which is not granted.
 *
 * @throws AppError `unsupported_type/unsupported_media_type`
 *
 * Source: CloudEvents, HTTP Protocol Binding 1.0.2, section 3.
 */
export function readEventForm(req: HttpRequest): EventForm {
  const isBinary = isBinaryMode(req.headers) && !NAMES_CLOUD_EVENTS.test(req.headers['content-type'] ?? '')
  return isBinary ? 'binary' : readMediaType(req, MEDIA_TYPES)
}
