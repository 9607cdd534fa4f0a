// Builds everything into dist/: compiles src, test and bench, and lays the files beside them that are not compiled.
// The manifest lists the commands, so that help does not load each of them.
import { execFileSync } from 'node:child_process'
import { cpSync, rmSync, statSync } from 'node:fs'

const isSource = path => statSync(path).isFile() && path.endsWith('.ts')

rmSync('dist', { recursive: true, force: true })
execFileSync('node', ['node_modules/typescript/bin/tsc'], { stdio: 'inherit' })
for (const folder of ['assets', 'test']) {
  cpSync(folder, `dist/${folder}`, { recursive: true, filter: path => !isSource(path) })
}
execFileSync('node', ['node_modules/oclif/bin/run.js', 'manifest'], {
  env: { ...process.env, OCLIF_SKIP_NEW_VERSION_CHECK: 'true' },
  stdio: ['ignore', 'ignore', 'inherit'],
})
