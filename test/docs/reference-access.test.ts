import t from 'tap'
import { ownFolder } from '../black-box/own-folder.js'
import { startServer } from '../black-box/running-server.js'
import { readReference, type Table } from './reference-page.js'

t.test('the table of access says of every route who may use it, as the route table does', async t => {
  const server = await startServer(t, { home: ownFolder(t) })
  const { paths } = (await server.http.get('/api/openapi.json')).json<{
    paths: Record<string, Record<string, { 'x-access': string }>>
  }>()
  const served = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, row]) => [`${method.toUpperCase()} ${path}`, row['x-access']]),
  )
  const tables = readReference('access').sections.flatMap(section => section.tables)
  const rows = (of: string) => tables.filter(table => table.of === of).flatMap(table => table.rows.map(unquoted))
  t.same(rows('route').sort(), served.sort())
  const explained = new Set(rows('who').map(([who]) => who))
  t.same(
    served.filter(([, who]) => !explained.has(who)),
    [],
    'every word of it is explained',
  )
})

function unquoted(row: Table['rows'][number]): string[] {
  return row.map(cell => cell.replaceAll('`', ''))
}
