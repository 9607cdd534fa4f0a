const MIB = 1024 ** 2
const LOW_BYTES = 1024 * MIB
const LOW_SHARE = 0.1

export interface DiskSpace {
  freeBytes: number
  totalBytes: number
}

/** Whether so little of a disk is free that the operator should know. */
export function isDiskLow({ freeBytes, totalBytes }: DiskSpace): boolean {
  return freeBytes < LOW_BYTES || freeShare({ freeBytes, totalBytes }) < LOW_SHARE
}

/** `412 MiB free (3 %)` */
export function freeSpaceText({ freeBytes, totalBytes }: DiskSpace): string {
  return `${inUnits(freeBytes)} free (${Math.floor(freeShare({ freeBytes, totalBytes }) * 100)} %)`
}

export function inUnits(bytes: number): string {
  return bytes < 1024 * MIB ? `${Math.floor(bytes / MIB)} MiB` : `${(bytes / (1024 * MIB)).toFixed(1)} GiB`
}

function freeShare({ freeBytes, totalBytes }: DiskSpace): number {
  return totalBytes === 0 ? 0 : freeBytes / totalBytes
}
