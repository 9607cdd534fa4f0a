/** Users often paste the address of a page. */

/** Page addresses of each platform: path pattern → target. */
const PAGES: Readonly<Record<string, readonly [RegExp, (...found: string[]) => string | undefined][]>> = {
  chat: [
    [
      /#narrow\/(?:stream|channel)\/(?:\d+-)?([^/]+)\/topic\/([^/]+)/u,
      (stream, topic) => `stream:${zulip(stream)}/topic:${zulip(topic)}`,
    ],
    [/#narrow\/(?:stream|channel)\/(?:\d+-)?([^/]+)/u, stream => `stream:${zulip(stream)}`],
  ],
  forum: [
    [/\/t\/(?:[^/]+\/)?(\d+)/u, id => `topic:${id}`],
    [/\/c\/(.+)/u, path => categoryOf(path)],
  ],
  code_a: [
    [/^https?:\/\/[^/]+\/([^/]+\/[^/]+)\/issues\/(\d+)/u, (path, number) => `repo:${path}/issue:${number}`],
    [/^https?:\/\/[^/]+\/([^/]+\/[^/]+)\/pulls?\/(\d+)/u, (path, number) => `repo:${path}/pull_request:${number}`],
    [/^https?:\/\/[^/]+\/([^/?#]+\/[^/?#]+?)(?:\.git)?(?:[/?#]|$)/u, path => `repo:${path}`],
  ],
  code_b: [
    [/^https?:\/\/[^/]+\/(.+?)\/-\/(?:issues|work_items)\/(\d+)/u, (path, number) => `project:${path}/issue:${number}`],
    [
      /^https?:\/\/[^/]+\/(.+?)\/-\/merge_requests\/(\d+)/u,
      (path, number) => `project:${path}/merge_request:${number}`,
    ],
    [/^https?:\/\/[^/]+\/(.+?)(?:\.git)?(?:\/-\/|\/?[?#]|\/?$)/u, path => `project:${path}`],
  ],
}

/** The target of a page's address. @returns undefined if there is none */
export function targetOfLink(source: string, text: string): string | undefined {
  if (!/^https?:\/\/\S+$/u.test(text) || !Object.hasOwn(PAGES, source)) return undefined
  for (const [pattern, write] of PAGES[source] ?? []) {
    const found = pattern.exec(text)
    const target = found && write(...found.slice(1))
    if (target) return target
  }
  return undefined
}

/** The last segment that begins with an id, else the last segment, which is the slug. */
function categoryOf(path = ''): string | undefined {
  const segments = path.split('/')
  const last = (pattern: RegExp) => segments.map(segment => pattern.exec(segment)?.[0]).findLast(found => found)
  const category = last(/^\d+/u) ?? last(/^[^?#]+/u)
  return category && `category:${category}`
}

/** Names in Zulip's links are percent-encoded with dots instead of percent signs; channels have hyphens for blanks. */
function zulip(name = ''): string {
  const percented = name.replaceAll('%', '%25').replaceAll(/\.([0-9A-F]{2})/g, '%$1')
  try {
    return decodeURIComponent(percented).replaceAll('%', '%25').replaceAll('/', '%2F')
  } catch (error) {
    if (error instanceof URIError) return name
    throw error
  }
}
