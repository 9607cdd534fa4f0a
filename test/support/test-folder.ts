import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { ownFolder } from '../black-box/own-folder.js'

/** `ownFolder`, with files in it. @param files text of each, by name */
export function testFolder(t: Test, files: Readonly<Record<string, string>> = {}): string {
  const folder = ownFolder(t)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}
