import type { IncomingHttpHeaders } from 'node:http'

/** Log members that connect a request with the logs of its sender. */
interface RequestTrace {
  /** 32 hex digits. */
  trace_id?: string
  /** The sender's span: 16 hex digits. */
  parent_id?: string
  /** The sender's `X-Request-Id`. */
  client_request_id?: string
}

/** A version, two ids and flags; later versions may add members. `ff` is not a valid version. */
const TRACE_PARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(-[\x21-\x7e]*)?$/
const FIRST_VERSION = '00'
const MAX_TRACE_PARENT = 200
/** Ids of common forms. No character in them can control a terminal or begin another line or member. */
const REQUEST_ID = /^[A-Za-z0-9._:/+=@-]{1,128}$/

/**
 * Reads the ids that the sender gave its request. A malformed header counts as absent, and so does one that was sent twice.
 *
 * Source: W3C, "Trace Context", section 3.2, `traceparent`.
 */
export function readTrace(headers: IncomingHttpHeaders): RequestTrace {
  const requestId = headers['x-request-id']
  return {
    ...readTraceParent(headers.traceparent),
    ...(typeof requestId === 'string' && REQUEST_ID.test(requestId) ? { client_request_id: requestId } : {}),
  }
}

function readTraceParent(header: string | string[] | undefined): RequestTrace {
  if (typeof header !== 'string' || header.length > MAX_TRACE_PARENT) return {}
  const [, version, traceId, parentId, more] = TRACE_PARENT.exec(header) ?? []
  if (traceId === undefined || parentId === undefined) return {}
  if (version === FIRST_VERSION && more !== undefined) return {}
  return { trace_id: traceId, parent_id: parentId }
}
