import type { ServerResponse } from 'node:http'
import type { HttpRequest } from '../http/route.js'
import type { ReadBody } from './body.js'
import { readJson } from './json-bytes.js'
import { readMediaType } from './media-type.js'

/** Reads a body that must be declared as JSON: a form of a page elsewhere cannot send that unasked. */
export type ReadJsonBody = (req: HttpRequest, res: ServerResponse, maxBytes: number) => Promise<unknown>

/** @throws AppError as `readMediaType`, `ReadBody` and `readJson` */
export function createJsonReader(readBody: ReadBody): ReadJsonBody {
  return async (req, res, maxBytes) => {
    readMediaType(req, ['application/json'])
    return readJson(await readBody(req, res, maxBytes))
  }
}
