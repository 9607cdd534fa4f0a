import { api } from '../shared/api.js'
import { createResource } from '../shared/resource.js'
import type { List } from '../shared/wire.js'
import type { Backend } from './wire.js'

/** The other boards that this one can reach, without unusable profiles. */
export const backends = createResource<List<Backend>>(signal => api('/api/backends', { signal }))
