import { at, linesAt } from './fields.js'

/**
 * The rights of an API token, in a few words. A server of version 0.2 does not send them; its tokens have all rights.
 */
export function tokenRights(token: unknown): string {
  if (at(token, 'may') !== 'write') return 'all rights of its user'
  return `record events of ${linesAt(token, 'sources').join(', ')}`
}
