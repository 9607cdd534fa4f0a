import type { Access } from '../../src/server/http/route.js'
import type { Served } from './serve.js'

/** A row of the route table. */
export interface Row {
  method: string
  /** With a value for each parameter. */
  path: string
  access: Access
}

/** Every row of the route table, as the API describes itself. @param headers of a caller who may read that */
export async function readRows(request: Served['request'], headers: Record<string, string> = {}): Promise<Row[]> {
  const { body } = await request('/api/openapi.json', { headers })
  const paths = Object.entries(body.paths as Record<string, Record<string, { 'x-access': Access }>>)
  return paths.flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { 'x-access': access }]) => ({
      method: method.toUpperCase(),
      path: FILES.get(path) ?? path.replaceAll(/\{\w+\}/g, 'x'),
      access,
    })),
  )
}

/** The ways to write a path that reach the same row. */
export function twinsOf(path: string): string[] {
  return path === '/' ? [path] : [path, path.toUpperCase(), `${path}/`]
}

/** Names that are there. */
const FILES = new Map([
  ['/assets/*', '/assets/shared/icon.svg'],
  ['/login/assets/{name}', '/login/assets/login.css'],
])
