import { api } from '../shared/server/api.js'
import { createResource } from '../shared/server/resource.js'
import type { List } from '../shared/server/wire.js'
import type { Backend } from './wire.js'

/** The other boards that this one can reach, without unusable profiles. */
export const backends = createResource<List<Backend>>(signal => api('/api/backends', { signal }))
