import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { ownFolder } from './own-folder.js'

/** A small disk of the test's own. */
export interface SmallDisk {
  folder: string
  remount(mode: 'ro' | 'rw'): void
}

/** Options for tests that need a file system of their own: skipped, loudly, where mounting is not allowed. */
export function mounting(): { skip: false | string } {
  const probe = '/proc/self/mounts'
  try {
    // A mount of its own for one instant, seen by nobody else.
    execFileSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], { stdio: 'pipe' })
    return { skip: false }
  } catch (error) {
    if (process.env.CI === 'true') throw new Error(`this suite has to mount file systems (${probe})`, { cause: error })
    console.error('\n*** SKIPPED: a full disk cannot be played without the right to mount (run as root). ***\n')
    return { skip: 'SKIPPED: mounting is not allowed here' }
  }
}

/** Mounts a file system in memory, gone with the test. */
export function mountSmallDisk(t: Test, size: string): SmallDisk {
  const folder = join(ownFolder(t), 'disk')
  mkdirSync(folder)
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0700`, 'tmpfs', folder])
  t.teardown(() => execFileSync('umount', ['--lazy', folder]))
  return { folder, remount: mode => execFileSync('mount', ['-o', `remount,${mode}`, folder]) }
}
