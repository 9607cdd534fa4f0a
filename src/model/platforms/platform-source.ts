/** The neutral sources that have an adapter. Direct writers may use other names. */
export const PLATFORM_SOURCES = ['chat', 'forum', 'code_a', 'code_b'] as const
export type PlatformSource = (typeof PLATFORM_SOURCES)[number]

export function isPlatformSource(source: string): source is PlatformSource {
  return PLATFORM_SOURCES.some(each => each === source)
}
