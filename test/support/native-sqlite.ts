import { execFileSync } from 'node:child_process'

/** Options for tests that need the real `sqlite3` program: skipped, loudly, where it is missing; a failure in CI. */
export function nativeSqlite(): { skip: false | string } {
  try {
    execFileSync('sqlite3', ['--version'], { stdio: 'pipe' })
    return { skip: false }
  } catch (error) {
    if (process.env.CI === 'true') throw new Error('This suite needs the program sqlite3.', { cause: error })
    console.error('\n*** SKIPPED: the program sqlite3 is missing (Debian package sqlite3). ***\n')
    return { skip: 'SKIPPED: the program sqlite3 is missing' }
  }
}
