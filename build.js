// Builds everything into dist/: compiles src, test and bench, and lays the files beside them that are not compiled.
import { execFileSync } from 'node:child_process'
import { cpSync, rmSync, statSync } from 'node:fs'

const isSource = path => statSync(path).isFile() && path.endsWith('.ts')

rmSync('dist', { recursive: true, force: true })
execFileSync('node', ['node_modules/typescript/bin/tsc'], { stdio: 'inherit' })
for (const folder of ['assets', 'test']) {
  cpSync(folder, `dist/${folder}`, { recursive: true, filter: path => !isSource(path) })
}
