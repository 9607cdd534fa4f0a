import { readdirSync } from 'node:fs'
import t from 'tap'
import { ownFolder } from '../black-box/own-folder.js'
import { serveHere } from '../runtime/serve/serve-here.js'
import { firstCodes, readReference } from './reference-page.js'

interface Operation {
  parameters?: { name: string }[]
  requestBody?: { content: Record<string, unknown> }
  responses: Record<string, { $ref?: string; content?: Record<string, { schema?: AnswerSchema }> }>
}

interface AnswerSchema {
  properties?: Record<string, unknown>
  anyOf?: AnswerSchema[]
}

/** Of the ledger; the board has a page of its own. */
const PAGES = readdirSync('docs/reference').filter(file => /^rest(-\w+)?\.md$/.test(file))

t.test('the reference of the REST API', async t => {
  const server = await serveHere(t, { home: ownFolder(t) })
  const { paths } = (await (await fetch(`${server.url}/api/openapi.json`)).json()) as {
    paths: Record<string, Record<string, Operation>>
  }
  const operations = new Map(
    Object.entries(paths).flatMap(([path, methods]) => {
      return Object.entries(methods).map(
        ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
      )
    }),
  )
  const sections = new Map(
    PAGES.flatMap(file => readReference(file.replace('.md', '')).sections).map(
      section => [section.title.replaceAll('`', ''), section] as const,
    ),
  )

  t.test('the reference describes every route, and no other', async t => {
    const described = [...sections.keys()].filter(title => /^[A-Z]+ \//.test(title))
    t.same(described.sort(), [...operations.keys()].sort())
  })

  for (const [name, operation] of operations) {
    t.test(`the reference describes the parameters and the answers of ${name}`, async t => {
      const { text = '', tables = [] } = sections.get(name) ?? {}
      t.same(
        firstCodes(tables, 'parameter').sort(),
        (operation.parameters ?? []).map(parameter => parameter.name).sort(),
        'its parameters',
      )
      for (const type of Object.keys(operation.requestBody?.content ?? {}))
        t.ok(text.includes(type) || type === 'application/json', type)
      for (const [status, answer] of Object.entries(operation.responses)) {
        // Refusals that all routes share have a table of their own.
        if (status === 'default' || answer.$ref) continue
        t.match(text, new RegExp(`\\b${status}\\b`), `status ${status}`)
        for (const member of membersOf(answer.content?.['application/json']?.schema)) {
          t.match(text, new RegExp(`[\`"]${member}[\`"]`), `the member ${member} of its answer`)
        }
      }
    })
  }
})

function membersOf(schema: AnswerSchema | undefined): string[] {
  return [schema, ...(schema?.anyOf ?? [])].flatMap(form => Object.keys(form?.properties ?? {}))
}
