import type { BoardAccess } from '../../gate/access.js'
import type { BoardIdentity } from '../../gate/identity.js'
import type { Endpoint, HttpRequest, Route } from '../http/route.js'

export type BoardRoute = Route<BoardAccess, BoardIdentity>
export type BoardEndpoint = Endpoint<BoardIdentity>
export type BoardRequest = HttpRequest<BoardIdentity>
