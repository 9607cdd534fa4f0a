import { idAt, known, memberOf, numberAt, objectsAt, type Payload } from '../../mapping/payload.js'
import { messagePlaceOf, nameAt, type StreamPlace } from '../place.js'

/** An edit or a move of a message, or both. */
export interface MessageChange {
  /** Epoch seconds, as the event of a queue has it. */
  at: number
  /** In the form of that event, but for this message alone. */
  body: Payload
  before: StreamPlace
  after: StreamPlace
}

/** From Zulip 10 on, `last_edit_timestamp` is the time of the last text edit, never that of a move. */
const LEVEL_OF_TEXT_EDITS = 365

interface Entry {
  at: number
  userId: unknown
  isEdited: boolean
  /** The text before; undefined if the server does not show it. */
  text: string | undefined
  rendered: string | undefined
  topic: string | undefined
  streamId: string | undefined
  /** Whether an entry of the history shows this change. Otherwise, only the time of the last edit shows it. */
  isListed: boolean
}

/**
 * The changes of a message, oldest first, from the history that the server returns with it. An entry has the time and
 * the person of the queue's event, so its dedupe key is the same. A server that hides the edit history shows only the
 * time of the last edit, from Zulip 10 on.
 *
 * @param message as received, with its text as Markdown
 *
 * Source: Zulip API, `edit_history` in `GET /messages`; docs/decisions/0089.
 */
export function readChanges(message: Payload, featureLevel: number): MessageChange[] {
  const id = numberAt(message, 'id')
  const place = messagePlaceOf(message)
  if (id === undefined || place?.type !== 'stream' || place.streamId === undefined) return []
  const changes: MessageChange[] = []
  let now = { place, text: contentAt(message, 'content'), rendered: undefined as string | undefined }
  for (const entry of readEntries(message, featureLevel)) {
    const before = placeBefore(now.place, entry)
    changes.push({ at: entry.at, body: toBody(id, entry, before, now), before, after: now.place })
    now = {
      place: before,
      text: entry.isEdited ? entry.text : now.text,
      rendered: entry.isEdited ? entry.rendered : now.rendered,
    }
  }
  return changes.reverse()
}

/** Newest first, as received. */
function readEntries(message: Payload, featureLevel: number): Entry[] {
  const entries = objectsAt(message, 'edit_history').flatMap(readEntry)
  const lastEdit = numberAt(message, 'last_edit_timestamp')
  const isShown = entries.some(({ isEdited }) => isEdited)
  if (lastEdit === undefined || isShown || featureLevel < LEVEL_OF_TEXT_EDITS) return entries
  const move = entries.find(({ at }) => at === lastEdit)
  if (move) move.isEdited = true
  else entries.push(lastEditAt(lastEdit))
  return entries.sort((left, right) => right.at - left.at)
}

function readEntry(entry: Payload): Entry[] {
  const at = numberAt(entry, 'timestamp')
  if (at === undefined) return []
  const text = contentAt(entry, 'prev_content')
  // Servers before version 5 have the old name of the topic.
  const topic = nameAt(entry, 'prev_topic') ?? nameAt(entry, 'prev_subject')
  const streamId = idAt(entry, 'prev_stream')
  const isEdited = text !== undefined
  if (!isEdited && topic === undefined && streamId === undefined) return []
  const rendered = contentAt(entry, 'prev_rendered_content')
  return [{ at, userId: memberOf(entry, 'user_id'), isEdited, text, rendered, topic, streamId, isListed: true }]
}

function lastEditAt(at: number): Entry {
  const hidden = { userId: undefined, text: undefined, rendered: undefined, topic: undefined, streamId: undefined }
  return { at, isEdited: true, ...hidden, isListed: false }
}

function placeBefore(after: StreamPlace, { topic, streamId }: Entry): StreamPlace {
  const isSameStream = streamId === undefined || streamId === after.streamId
  return {
    type: 'stream',
    streamId: streamId ?? after.streamId,
    streamName: isSameStream ? after.streamName : undefined,
    topic: topic ?? after.topic,
  }
}

/** The change in the form of the queue's event. `message_ids` omits other messages that moved with this one. */
function toBody(
  id: number,
  entry: Entry,
  before: StreamPlace,
  after: { place: StreamPlace; text: string | undefined; rendered: string | undefined },
): Payload {
  const { at, userId, isEdited, text, rendered, topic, streamId, isListed } = entry
  const isMoved = topic !== undefined || streamId !== undefined
  const edit = {
    orig_content: text,
    orig_rendered_content: rendered,
    content: after.text,
    rendered_content: after.rendered,
  }
  const move = {
    orig_subject: before.topic,
    subject: topic === undefined ? undefined : after.place.topic,
    new_stream_id: streamId === undefined ? undefined : toNumber(after.place.streamId),
  }
  return known({
    type: 'update_message',
    user_id: userId,
    edit_timestamp: at,
    message_id: id,
    message_ids: [id],
    stream_id: toNumber(before.streamId),
    stream_name: before.streamName,
    rendering_only: false,
    ...(isEdited ? edit : {}),
    ...(isMoved ? move : {}),
    rebuilt_from: isListed ? 'edit_history' : 'last_edit_timestamp',
  })
}

/** A text, which may be empty. */
function contentAt(from: Payload, member: string): string | undefined {
  const text = memberOf(from, member)
  return typeof text === 'string' ? text : undefined
}

function toNumber(id: string | undefined): number | undefined {
  return id === undefined ? undefined : Number(id)
}
