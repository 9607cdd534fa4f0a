import { useLayoutEffect, useRef } from 'preact/hooks'
import { isPhone } from '../media.js'
import { closeByBack } from '../server/address.js'

/** On phones the Back button closes what covers the view. */
export function useCloseByBack(onClose: () => void): void {
  const latest = useRef(onClose)
  latest.current = onClose
  useLayoutEffect(() => (isPhone.peek() ? closeByBack(() => latest.current()) : undefined), [])
}
