#!/usr/bin/env node
import module from 'node:module'
import { fileURLToPath } from 'node:url'

if (!['linux', 'darwin'].includes(process.platform)) {
  console.error(`Daybook runs on Linux and macOS, and not on ${process.platform}: on Windows, run it in WSL.`)
  process.exit(78)
}

// The program is loaded below, on demand, so an older Node gets this sentence instead of a syntax error.
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Daybook needs Node.js 20.19 or later. This is ${process.version}.`)
  process.exit(78)
}

// Node 22 and later can cache compiled code. This must be enabled before anything large is imported.
if (module.enableCompileCache) {
  const { enableCompileCache } = await import('../dist/program/cli/compile-cache.js')
  enableCompileCache()
}
const { main } = await import('../dist/program/cli/main.js')
await main(fileURLToPath(new URL('..', import.meta.url)), process.argv.slice(2))
