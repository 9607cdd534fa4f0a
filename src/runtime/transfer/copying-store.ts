import { AppError } from '../../model/app-error.js'
import type { CopyingStore, Store } from '../../store/store.js'

/** @throws AppError `unavailable/copies_unsupported` for an engine that cannot be copied */
export function toCopyingStore(store: Store): CopyingStore {
  const { copies } = store
  if (copies) return { ...store, copies }
  throw new AppError(
    'unavailable',
    'copies_unsupported',
    'A ledger in PostgreSQL is not exported or imported as a whole.',
    {
      hint: 'Use `pg_dump` and `pg_restore`; `daybook ledger import --merge` records an export in it.',
    },
  )
}
