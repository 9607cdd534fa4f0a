import { AppError } from '../../model/app-error.js'
import { parseUrl } from '../../model/parse-url.js'
import type { HistoryTarget } from '../../model/platforms/history.js'
import { findPlatformSource, type PlatformSource } from '../../model/platforms/platform-source.js'
import { placeOfText, TARGET_CHARACTERS } from '../../model/subscriptions/target-grammar.js'

const SITES: Readonly<Record<string, PlatformSource>> = { 'github.com': 'code_a', 'gitlab.com': 'code_b' }
const WEB = /^https?:\/\//iu
/** `/ada/engine`, with the type and number of a thing in it. GitLab puts `/-` before the type. */
const PAGE = /^\/(.+?)(?:\/(?:-\/)?(issues|pull|pulls|merge_requests)\/(\d{1,15}))?\/?$/u
const FORMS = [
  ['stream:', 'chat'],
  ['category:', 'forum'],
  ['topic:', 'forum'],
  ['project:', 'code_b'],
  ['repo:', 'code_a'],
  ['repository:', 'code_a'],
] as const

/**
 * Reads a target as users write it: in the forms of subscriptions, as the address of a page on GitHub or GitLab, or as
 * `forum` for a whole forum.
 *
 * @param platform a word for the platform; needed only if the target fits several
 * @throws AppError `invalid/wrong_usage`
 */
export function readHistoryTarget(target: string, platform?: PlatformSource): HistoryTarget {
  const text = target.trim()
  if (text.length > TARGET_CHARACTERS) throw notATarget(text)
  if (findPlatformSource(text) === 'forum') return { source: 'forum', text: 'forum' }
  if (WEB.test(text)) return readAddress(text, platform)
  const source = platform ?? FORMS.find(([start]) => text.startsWith(start))?.[1]
  const place = source && placeOfText(source, text)
  if (!source || !place) throw notATarget(text)
  return { source, place, text }
}

function readAddress(text: string, platform: PlatformSource | undefined): HistoryTarget {
  const url = parseUrl(text)
  const known = url?.protocol === 'https:' && url.username === '' ? SITES[url.host] : undefined
  if (!url || known === undefined) {
    const hint = 'For another server, write the target like repo:ada/engine, and add --url and --platform.'
    throw new AppError('invalid', 'wrong_usage', 'The address is not one of github.com or gitlab.com.', { hint })
  }
  const source = platform ?? known
  const [, path, kind, number] = PAGE.exec(url.pathname) ?? []
  const type = kind === 'issues' ? 'issue' : 'pull_request'
  const form = `repo:${path}${kind === undefined ? '' : `/${type}:${number}`}`
  const place = placeOfText(source, form)
  if (!place) throw notATarget(text)
  return { source, place, text: form, baseUrl: url.origin }
}

function notATarget(text: string): AppError {
  const shown = JSON.stringify(text.slice(0, 80))
  return new AppError('invalid', 'wrong_usage', `${shown} is not a place whose history can be read.`, {
    hint: 'Write it like repo:ada/engine, project:ada/engine, category:support, topic:123, stream:eng or forum.',
  })
}
