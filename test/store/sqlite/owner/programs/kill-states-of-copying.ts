/**
 * Copies a legacy ledger, and saves what a kill before each step that changes the disk would leave of the new one.
 * Arguments: legacy, database, folder of the states.
 */
import fs from 'node:fs'
import promises from 'node:fs/promises'
import { dirname } from 'node:path'
import { interceptFiles, saveStates } from './file-steps.js'

const [, , legacy = '', database = '', states = ''] = process.argv
const save = saveStates(dirname(database), states)

interceptFiles(promises, ['open', 'rename', 'unlink', 'rm'], save)
interceptFiles(
  fs,
  ['open', 'write', 'writeSync', 'openSync', 'ftruncateSync', 'unlinkSync', 'mkdirSync', 'rmdirSync'],
  save,
)

const { copyLegacyLedger } = await import('../../../../../src/store/sqlite/upgrade/legacy.js')
await copyLegacyLedger({ legacy, database })
