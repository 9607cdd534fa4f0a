import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of files for operators. */
export const DEPLOY = fileURLToPath(new URL('../../../deploy/', import.meta.url))

export function readDeployed(path: string): string {
  return readFileSync(join(DEPLOY, path), 'utf8')
}

/** Paths below the folder. */
export function deployedFiles(): string[] {
  return readdirSync(DEPLOY, { recursive: true, withFileTypes: true, encoding: 'utf8' })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(DEPLOY.length))
}
