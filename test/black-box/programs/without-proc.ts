/** Preloaded: the process and its threads run as on a system without /proc, such as macOS. */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

Object.defineProperty(process, 'platform', { value: 'darwin' })

type Read = (path: unknown, ...rest: unknown[]) => unknown

/** Replaces a function that reads a path. @param refuse what it does for a path below /proc */
function leaveOut(functions: object, name: string, refuse: (error: Error) => unknown): void {
  const read = Reflect.get(functions, name) as Read
  Reflect.set(functions, name, (path: unknown, ...rest: unknown[]) => {
    if (!/^\/proc(?:\/|$)/.test(String(path))) return read.call(functions, path, ...rest)
    return refuse(Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' }))
  })
}

for (const name of ['readFile', 'readdir', 'readlink', 'stat', 'open']) {
  leaveOut(fs.promises, name, error => Promise.reject(error))
}
for (const name of ['readFileSync', 'readdirSync', 'readlinkSync', 'statSync', 'openSync']) {
  leaveOut(fs, name, error => {
    throw error
  })
}
syncBuiltinESMExports()
