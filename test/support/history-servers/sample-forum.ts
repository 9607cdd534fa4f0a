import type { ForumBook } from './forum-server.js'
import { timeAt } from './sample-repository.js'

/** Five topics, of which one is in another category; 70 posts with gaps between their ids. */
export function sampleForum(): ForumBook {
  const people = [{ id: 4, username: 'ada', name: 'Ada' }]
  const topics = [5, 4, 3, 2, 1].map(id => ({
    id,
    title: `Topic ${id}`,
    slug: `topic-${id}`,
    category_id: id === 5 ? 9 : 8,
    archetype: 'regular',
    created_at: timeAt(id),
    posters: [{ user_id: 4, description: 'Original Poster' }],
  }))
  const posts = Array.from({ length: 70 }, (_, at) => ({
    id: 100 + at * 3 + (at > 40 ? 200 : 0),
    topic_id: (at % 5) + 1,
    topic_slug: 'x',
    topic_title: 'X',
    post_number: Math.floor(at / 5) + 1,
    user_id: 4,
    username: 'ada',
    raw: `Post ${at}`,
    post_type: 1,
    category_id: at % 5 === 4 ? 9 : 8,
    created_at: timeAt(at),
  }))
  return {
    topics,
    users: people,
    posts,
    categories: [
      { id: 8, slug: 'support' },
      { id: 9, slug: 'other' },
    ],
  }
}
