import type { BoardAccess } from '../../gate/access.js'
import type { BoardIdentity } from '../../gate/identity.js'
import type { Handler, HttpRequest, Route } from '../http/route.js'

/** One row of the board's route table. */
export type BoardRoute = Route<BoardAccess, BoardIdentity>
export type BoardHandler = Handler<BoardIdentity>
export type BoardRequest = HttpRequest<BoardIdentity>
