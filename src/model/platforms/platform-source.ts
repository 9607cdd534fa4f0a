/** The neutral sources that have an adapter. Direct writers may use other names. */
export const PLATFORM_SOURCES = ['chat', 'forum', 'code_a', 'code_b'] as const
export type PlatformSource = (typeof PLATFORM_SOURCES)[number]

/** Who delivers under each source. */
export const PLATFORM_NAMES: Readonly<Record<PlatformSource, string>> = {
  chat: 'Zulip',
  forum: 'Discourse',
  code_a: 'GitHub, Gitea, Forgejo, Gogs',
  code_b: 'GitLab',
}

export function isPlatformSource(source: string): source is PlatformSource {
  return PLATFORM_SOURCES.some(each => each === source)
}
