#!/usr/bin/env node
import { fileURLToPath } from 'node:url'
import { enableCompileCache } from '../dist/src/cli/compile-cache.js'

enableCompileCache()
const { main } = await import('../dist/src/cli/main.js')
await main(fileURLToPath(new URL('..', import.meta.url)), process.argv.slice(2))
