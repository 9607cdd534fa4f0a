/**
 * Loaded into every test before tap's own modules. They hand each import to a thread that notes it for coverage, which
 * nobody measures here; with Node 20 that costs every file a second. Without the thread a test imports as Node does.
 */
import module from 'node:module'

Object.assign(module, { register: () => undefined })
