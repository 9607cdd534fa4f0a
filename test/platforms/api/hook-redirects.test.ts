import t from 'tap'
import { openDeliveriesList } from '../../../src/platforms/deliveries-lists/open-list.js'
import { closing, startRestServer } from '../../support/history-servers/rest-server.js'

t.test('the token for the deliveries of a hook is sent only below the address of its platform', async t => {
  for (const [target, isFollowed] of [
    ['/gitlab/api/v4/projects/43/hooks/7/events', true],
    ['/another-program', false],
  ] as const) {
    const server = closing(
      t,
      await startRestServer({
        answer: ({ path }, origin) =>
          path === '/gitlab/api/v4/projects/42/hooks/7/events'
            ? { status: 307, headers: { location: `${origin}${target}` }, body: {} }
            : { body: [] },
      }),
    )
    const hook = { source: 'code_b', url: `${server.url}/gitlab/api/v4/projects/42/hooks/7`, token: 'x' } as const
    const list = openDeliveriesList(hook, { sleep: async () => {}, now: Date.now, onWait: () => {} })
    t.teardown(() => list.api.close())
    const page = list.pages(0).next()
    if (isFollowed) t.match(await page, { done: true })
    else await t.rejects(page, { code: 'platform_answer_unreadable', message: /redirect/ })
    t.equal(server.asked.at(-1)?.path === target, isFollowed, target)
  }
})
