import type { FeedLogin, SourceDefinition } from '../../../model/sources/source-definition.js'

/**
 * Default rules for the items of a feed. One id is one event: an item that changes remains the same event.
 */
const FEED_RULES: SourceDefinition['rules'] = [
  {
    kind: 'entry.published',
    subject_id: '{/item/key}',
    actor: { id: '{/item/author}' },
    target: [
      { type: 'entry', id: '{/item/key}', display: '{/item/title}', url: '{/item/link}' },
      { type: 'feed', id: '{/feed/source}', display: '{/feed/title}', url: '{/feed/link}' },
    ],
    title: '{/item/title}',
    text: '{/item/text}',
    url: '{/item/link}',
    time: ['{/item/published}', '{/item/updated}'],
    key: '{/item/key}',
  },
]

/** The definition of a feed without its name. */
export function feedAt(url: string, login?: FeedLogin): Omit<SourceDefinition, 'name'> {
  return { proof: { type: 'feed', url, ...(login === undefined ? {} : { login }) }, rules: FEED_RULES }
}
