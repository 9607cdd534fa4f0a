/** What people paste is often the address of a page. */

/** What the pages of each platform say by their path: the parts of it → a target. */
const PAGES: Readonly<Record<string, readonly [RegExp, (...found: string[]) => string][]>> = {
  chat: [
    [
      /#narrow\/(?:stream|channel)\/(?:\d+-)?([^/]+)\/topic\/([^/]+)/u,
      (stream, topic) => `stream:${zulip(stream)}/topic:${zulip(topic)}`,
    ],
    [/#narrow\/(?:stream|channel)\/(?:\d+-)?([^/]+)/u, stream => `stream:${zulip(stream)}`],
  ],
  forum: [
    [/\/t\/(?:[^/]+\/)?(\d+)/u, id => `topic:${id}`],
    [/\/c\/(?:[^/]+\/)*(\d+)/u, id => `category:${id}`],
    [/\/c\/(?:[^/]+\/)*([^/?#]+)/u, slug => `category:${slug}`],
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

/** The target that the page of a link is about. @returns undefined for what is no link, or one that says nothing */
export function targetOfLink(source: string, text: string): string | undefined {
  if (!/^https?:\/\/\S+$/u.test(text) || !Object.hasOwn(PAGES, source)) return undefined
  for (const [pattern, write] of PAGES[source] ?? []) {
    const found = pattern.exec(text)
    if (found) return write(...found.slice(1))
  }
  return undefined
}

/** Names in Zulip's links are percent-encoded with a dot in place of the percent sign, blanks as hyphens in channels. */
function zulip(name = ''): string {
  const percented = name.replaceAll('%', '%25').replaceAll(/\.([0-9A-F]{2})/g, '%$1')
  try {
    return decodeURIComponent(percented).replaceAll('%', '%25').replaceAll('/', '%2F')
  } catch (error) {
    if (error instanceof URIError) return name
    throw error
  }
}
