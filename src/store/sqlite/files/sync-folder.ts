import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Brings the names in `folder` to the disk, so that a file that was made or renamed there survives a loss of power. */
export function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
