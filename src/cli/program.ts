import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Interfaces } from '@oclif/core'

/** Where the program's files are. */
export interface Program {
  /** The package's folder. */
  root: string
  /** Which files of it run: those that were built, or the sources, while working on them. */
  code: 'dist' | 'src'
}

/** The package's description of itself, with oclif's settings pointing at the files that run. */
export function readPackage({ root, code }: Program): Interfaces.PJSON {
  const pjson: Interfaces.PJSON = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  if (code === 'src') pjson.oclif = JSON.parse(JSON.stringify(pjson.oclif).replaceAll('./dist/', './src/'))
  return pjson
}
