import Type from '#typebox'
import { STORY_LIMITS } from '../../model/events/story.js'
import { json } from '../answer/reply.js'
import { whenGone } from '../answer/slow-reader.js'
import { named } from '../http/openapi.js'
import { documented, type LedgerEndpoint } from '../http/route.js'
import { pathParam } from '../request/path-param.js'
import type { QueryEventsParts } from './read-events.js'

/** `GET /api/events/:dedupe_key/story`: the events that share a commit, a pull request, a run … with one, directly or through others. */
export function eventStory({ ledger }: Pick<QueryEventsParts, 'ledger'>): LedgerEndpoint {
  return documented(DOC, async (req, res) => {
    const { parts, complete } = await ledger.story(pathParam(req, 1), whenGone(res))
    return json(200, { items: parts, count: parts.length, complete })
  })
}

const StorySchema = Type.Object({
  items: Type.Array(
    Type.Object({
      event: named('EventWithoutPayload'),
      facts: Type.Array(Type.String(), {
        description:
          'What it shares with an event of the story, such as `commit 1d2c…`, `number acme/app#34` or `address github.com/acme/app/pull/34`. Empty for the event that was asked about.',
      }),
    }),
    {
      description: `In the order of the ledger, at most ${STORY_LIMITS.events}, of ${STORY_LIMITS.days} days before and after the event.`,
    },
  ),
  count: Type.Integer({ minimum: 1 }),
  complete: Type.Boolean({ description: 'False if a limit was met, so that there may be more.' }),
})

const DOC = {
  summary: 'The events that belong to one story with an event',
  description: 'Such as all events of one pull request and its runs, in the order of the ledger.',
  answers: { 200: { description: 'The story', schema: StorySchema } },
}
