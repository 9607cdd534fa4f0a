import t from 'tap'
import Type from '#typebox'
import { describeApi } from '../../../src/server/http/openapi.js'
import type { AnswerDoc } from '../../../src/server/http/route.js'

/** What the description of an API says about the contents of an answer. */
async function contentOf(answer: Omit<AnswerDoc, 'description'>): Promise<unknown> {
  const doc = { summary: 'x', description: 'x', answers: { 200: { description: 'x', ...answer } } }
  const endpoint = describeApi(
    () => [{ method: 'GET', pattern: '/x', access: 'any', doc }],
    {
      ...{ title: 'x', description: 'x', version: '1', rootPath: '', schemas: {}, securitySchemes: {}, tags: [] },
      security: { any: [] },
    },
    () => undefined,
  )
  const { body } = (await endpoint.handle({} as never, {} as never)) as { body: string }
  return JSON.parse(body).paths['/x'].get.responses[200].content
}

t.test('the schema of an answer is that of its only type, and of several types that of JSON', async t => {
  const schema = Type.String()
  const text = { schema: { type: 'string' } }
  t.same(await contentOf({ schema }), { 'application/json': text })
  t.same(await contentOf({ type: 'text/csv', schema }), { 'text/csv': text })
  t.same(await contentOf({ type: 'text/csv' }), { 'text/csv': { schema: {} } })
  t.same(await contentOf({ type: ['application/json', 'text/plain'], schema }), {
    'application/json': text,
    'text/plain': { schema: {} },
  })
})
