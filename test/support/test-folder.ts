import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'

/** The first folder of each test. tap's root serves one file after another. */
const given = new WeakMap<Test, string>()

/**
 * A fixture folder that outlives what `t.teardown` closes: tap removes it before the teardowns, unless one was asked for
 * first, and a database whose files are gone is not closed in the ordinary way. A second folder of a test lies in its
 * first, which tap would otherwise empty.
 *
 * @param files text of each, by name
 */
export function testFolder(t: Test, files: Readonly<Record<string, string>> = {}): string {
  const first = given.get(t)
  const isSecond = first !== undefined && existsSync(first)
  if (!isSecond) t.teardown(() => {})
  const folder = isSecond ? mkdtempSync(join(first, 'another-')) : t.testdir()
  if (!isSecond) given.set(t, folder)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}
