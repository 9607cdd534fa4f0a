const REASONS = new Map([
  ['ENOENT', 'does not exist'],
  ['ENOTDIR', 'does not exist'],
  ['EACCES', 'may not be read by this user'],
  ['EPERM', 'may not be read by this user'],
  ['EISDIR', 'is a folder'],
  ['NOT_A_FILE', 'is a device or a pipe, not a file'],
  ['TOO_LARGE', 'is larger than 1 MiB'],
])

/** Why a file could not be read, as the end of a sentence. Rethrows anything but a file system failure. */
export function whyUnreadable(error: unknown): { missing: boolean; text: string } {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') throw error
  const text = REASONS.get(error.code) ?? `cannot be read (${error.code})`
  return { missing: error.code === 'ENOENT' || error.code === 'ENOTDIR', text }
}
