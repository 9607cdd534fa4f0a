import { stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Finding, failing, ok, warning } from '../../model/diagnosis.js'
import { type DiskSpace, freeSpaceText, isDiskLow } from '../../model/disk-space.js'
import { isErrno } from '../../store/sqlite/files/file-system.js'

/** The space of a file system. */
interface FileSystemSpace extends DiskSpace {
  /** Number of files that can still be created; undefined if the file system has no such limit. */
  freeFiles: number | undefined
}

const MIB = 1024 ** 2
/** Below this a disk counts as full. The ledger itself counts as full at 32 MiB. */
const FULL_BYTES = 64 * MIB
const LOW_FILES = 1_000

/** The disks of these folders, each once. A folder that does not exist yet is on the disk of the one above it. */
export async function checkDisks(folders: readonly string[]): Promise<Finding[]> {
  const disks = new Map<number, string>()
  for (const folder of folders) {
    const found = await nearest(folder)
    const { dev } = await stat(found)
    if (!disks.has(dev)) disks.set(dev, found)
  }
  return Promise.all([...disks.values()].map(async folder => judgeSpace(folder, await spaceOf(folder))))
}

async function spaceOf(folder: string): Promise<FileSystemSpace> {
  const { bavail, bsize, blocks, files, ffree } = await statfs(folder)
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize, freeFiles: files > 0 ? ffree : undefined }
}

export function judgeSpace(folder: string, space: FileSystemSpace): Finding {
  const { freeBytes, freeFiles } = space
  const detail = `The disk of ${folder} has ${freeSpaceText(space)}.`
  const advice = 'Make room, or move the files to a larger disk.'
  if (freeBytes < FULL_BYTES) return failing('temporary', detail, advice)
  if (freeFiles !== undefined && freeFiles < LOW_FILES) {
    return warning(`The disk of ${folder} has room for ${freeFiles} more files.`, 'Delete files that you do not need.')
  }
  return isDiskLow(space) ? warning(detail, advice) : ok(detail)
}

async function nearest(folder: string): Promise<string> {
  try {
    await stat(folder)
    return folder
  } catch (error) {
    if (!isErrno(error, 'ENOENT') || dirname(folder) === folder) throw error
    return nearest(dirname(folder))
  }
}
