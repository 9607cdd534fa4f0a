const REASONS = new Map([
  ['ENOENT', 'does not exist'],
  ['ENOTDIR', 'does not exist'],
  ['EACCES', 'may not be read by this user'],
  ['EPERM', 'may not be read by this user'],
  ['EISDIR', 'is a folder'],
])

/** Why a file could not be read, as the end of a sentence. Anything but a failure of the file system is thrown on. */
export function whyUnreadable(error: unknown): { missing: boolean; text: string } {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') throw error
  const text = REASONS.get(error.code) ?? `cannot be read (${error.code})`
  return { missing: error.code === 'ENOENT' || error.code === 'ENOTDIR', text }
}
