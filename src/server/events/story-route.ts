import { StorySchema } from '../../model/ledger-answers.js'
import { json } from '../answer/reply.js'
import { closeSignal } from '../answer/slow-reader.js'
import { documented, type LedgerEndpoint } from '../http/route.js'
import { pathParam } from '../request/path-param.js'
import type { QueryEventsParts } from './read-events.js'

/** `GET /api/events/:dedupe_key/story`: the events that share a commit, a pull request, a run … with one, directly or through others. */
export function eventStory({ ledger }: Pick<QueryEventsParts, 'ledger'>): LedgerEndpoint {
  return documented(DOC, async (req, res) => {
    const { parts, complete } = await ledger.story(pathParam(req, 1), closeSignal(res))
    return json(200, { items: parts, count: parts.length, complete })
  })
}

const DOC = {
  summary: 'The events that belong to one story with an event',
  description: 'Such as all events of one pull request and its runs, in the order of the ledger.',
  answers: { 200: { description: 'The story', schema: StorySchema } },
}
