import t from 'tap'
import { ownFolder } from '../black-box/own-folder.js'
import { serveHere } from '../runtime/serve/serve-here.js'
import { readReference, type Table } from './reference-page.js'

t.test('the documented access of every route is that of the route tables', async t => {
  const server = await serveHere(t, { home: ownFolder(t) })
  const tables = readReference('access').sections.flatMap(section => section.tables)
  const rows = (of: string) => tables.filter(table => table.of === of).flatMap(table => table.rows.map(unquoted))
  const programs = [
    { url: server.url, routes: 'route', words: 'who' },
    { url: server.boardUrl, routes: 'route of the board', words: 'who at the board' },
  ]
  for (const { url, routes, words } of programs) {
    const served = await readRoutes(url)
    t.same(rows(routes).sort(), [...served].sort(), routes)
    const explained = new Set(rows(words).map(([who]) => who))
    t.same(
      served.filter(([, who = '']) => !explained.has(who)),
      [],
      'every word of it is explained',
    )
  }
})

async function readRoutes(url: string): Promise<string[][]> {
  const { paths } = (await (await fetch(`${url}/api/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { 'x-access': string }>>
  }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, row]) => [`${method.toUpperCase()} ${path}`, row['x-access']]),
  )
}

function unquoted(row: Table['rows'][number]): string[] {
  return row.map(cell => cell.replaceAll('`', ''))
}
