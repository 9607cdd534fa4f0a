import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Test } from 'tap'
import { ownFolder } from './own-folder.js'

/** A small disk of the test. */
export interface SmallDisk {
  folder: string
  /** A folder for files that must not be on the disk itself. */
  beside: string
  remount(mode: 'ro' | 'rw'): void
}

/** A disk that can be mounted repeatedly. */
export interface LoopDisk extends SmallDisk {
  /** Makes the kernel find an error on it, which then turns read-only for processes that have files open there. */
  fail(): void
  /** Unmounts the disk, repairs it and mounts it again; no process may have files open on it. */
  mend(): void
}

/**
 * Options for tests that mount file systems. Where mounting is not allowed, the tests are skipped and reported.
 *
 * @param loop they need one in a file (a loop device, and e2fsprogs)
 */
export function mounting({ loop = false } = {}): { skip: false | string } {
  try {
    // In a separate mount namespace, so that the mount ends with the program.
    run('unshare', '--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt')
    if (loop) {
      run('test', '-e', '/dev/loop-control')
      for (const program of ['mkfs.ext4', 'e2fsck', 'chattr']) run('which', program)
    }
    return { skip: false }
  } catch (error) {
    if (process.env.CI === 'true') throw new Error('This suite has to mount file systems.', { cause: error })
    console.error(
      '\n*** SKIPPED: full and failing disks cannot be played without the right to mount (run as root). ***\n',
    )
    return { skip: 'SKIPPED: mounting is not allowed here' }
  }
}

/** Mounts a file system in memory, and removes it after the test. */
export function mountSmallDisk(t: Test, size: string): SmallDisk {
  const { beside, folder } = mountPoint(t)
  run('mount', '-t', 'tmpfs', '-o', `size=${size},mode=0700`, 'tmpfs', folder)
  t.teardown(() => run('umount', '--lazy', folder))
  return { folder, beside, remount: mode => run('mount', '-o', `remount,${mode}`, folder) }
}

/** Mounts an ext4 file system in a file, and removes it after the test. */
export function mountLoopDisk(t: Test, size: string): LoopDisk {
  const { beside, folder } = mountPoint(t)
  const image = join(beside, 'image')
  run('truncate', '-s', size, image)
  run('mkfs.ext4', '-q', '-O', '^has_journal', image)
  const mount = () => run('mount', '-o', 'loop,errors=remount-ro', image, folder)
  mount()
  t.teardown(() => run('umount', '--lazy', folder))
  return {
    folder,
    beside,
    remount: mode => run('mount', '-o', `remount,${mode}`, folder),
    fail: () => writeFileSync(`/sys/fs/ext4/${basename(deviceOf(folder))}/trigger_fs_error`, 'a test'),
    mend: () => {
      run('umount', folder)
      // Its exit code is 1 after a repair.
      run('sh', '-c', 'e2fsck -fy "$0" || test $? -eq 1', image)
      mount()
    },
  }
}

/** Writes a file until nothing more fits. */
export function fillDisk(file: string): void {
  const descriptor = openSync(file, 'w')
  for (let size = 64 * 1024; size >= 1; size = Math.floor(size / 16)) {
    while (writes(descriptor, size));
  }
  closeSync(descriptor)
}

function writes(descriptor: number, size: number): boolean {
  try {
    return writeSync(descriptor, Buffer.alloc(size, 1)) === size
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false
    throw error
  }
}

function mountPoint(t: Test): { beside: string; folder: string } {
  const beside = ownFolder(t)
  const folder = join(beside, 'disk')
  mkdirSync(folder)
  return { beside, folder }
}

function deviceOf(folder: string): string {
  const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n')
  return mounts.map(line => line.split(' ')).find(([, at]) => at === folder)?.[0] ?? ''
}

function run(program: string, ...args: string[]): void {
  execFileSync(program, args, { stdio: 'pipe' })
}
