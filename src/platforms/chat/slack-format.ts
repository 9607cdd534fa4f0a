/**
 * The second format of outgoing webhooks: a form like Slack's. It has neither the id nor the topic of its message.
 *
 * Source: Zulip API, "Outgoing webhooks", Slack-format.
 */
import { digestOf } from '../mapping/identifiers.js'
import { known, type Payload, textAt } from '../mapping/payload.js'

export function isSlackFormat(body: Payload): boolean {
  const shown = ['team_id', 'channel_id', 'trigger_word'].filter(name => textAt(body, name) !== undefined)
  return shown.length >= 2 && textAt(body, 'type') === undefined
}

/** Converts a form to the message object of the platform's own format. */
export function messageOfSlackForm(form: Payload): Payload {
  const streamId = unprefixed(textAt(form, 'channel_id'))
  const senderId = unprefixed(textAt(form, 'user_id'))
  const timestamp = textAt(form, 'timestamp') ?? textAt(form, 'thread_ts')
  const content = textAt(form, 'text')
  const parts = [streamId, timestamp, senderId]
  return known({
    id: parts.includes(undefined) ? undefined : [...parts, `sha256-${digestOf(content ?? '')}`].join(':'),
    type: 'stream',
    stream_id: streamId,
    display_recipient: textAt(form, 'channel_name'),
    sender_id: senderId,
    sender_full_name: textAt(form, 'user_name'),
    content,
    timestamp: timestamp === undefined ? undefined : Number(timestamp),
    team_domain: textAt(form, 'team_domain'),
  })
}

/** Removes the letter that names the type: `C123`, `U21`. */
function unprefixed(id: string | undefined): string | undefined {
  return id?.replace(/^[CTU](?=\d+$)/u, '')
}
