/** The neutral sources that have an adapter. Direct writers may use other names. */
export const PLATFORM_SOURCES = ['chat', 'forum', 'code_a', 'code_b'] as const
export type PlatformSource = (typeof PLATFORM_SOURCES)[number]

/** The platform of each source. */
export const PLATFORM_NAMES: Readonly<Record<PlatformSource, string>> = {
  chat: 'Zulip',
  forum: 'Discourse',
  code_a: 'GitHub, Gitea, Forgejo, Gogs',
  code_b: 'GitLab',
}

export function isPlatformSource(source: string): source is PlatformSource {
  return PLATFORM_SOURCES.some(each => each === source)
}

/** How the names of a platform's settings end: `CODE_A`. */
export function settingSuffix(source: string): string {
  return source.toUpperCase()
}

/** Common names of the platforms. */
const PLATFORMS: Readonly<Record<string, PlatformSource>> = {
  zulip: 'chat',
  discourse: 'forum',
  github: 'code_a',
  gitea: 'code_a',
  forgejo: 'code_a',
  gogs: 'code_a',
  gitlab: 'code_b',
}

export const PLATFORM_WORDS: readonly string[] = [...PLATFORM_SOURCES, ...Object.keys(PLATFORMS)]

/** The source that a word names: `code_a` for `code_a` and `github`. @returns undefined for any other word */
export function findPlatformSource(word: string): PlatformSource | undefined {
  return (
    PLATFORM_SOURCES.find(source => source === word) ??
    (Object.hasOwn(PLATFORMS, word.toLowerCase()) ? PLATFORMS[word.toLowerCase()] : undefined)
  )
}
