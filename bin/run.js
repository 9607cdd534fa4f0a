#!/usr/bin/env node
import module from 'node:module'
import { fileURLToPath } from 'node:url'

// Node 22 and later can keep compiled code; it has to be told before anything large is imported.
if (module.enableCompileCache) {
  const { enableCompileCache } = await import('../dist/program/cli/compile-cache.js')
  enableCompileCache()
}
const { main } = await import('../dist/program/cli/main.js')
await main(fileURLToPath(new URL('..', import.meta.url)), process.argv.slice(2))
