import type { RefObject } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import { signal } from '@preact/signals'

const narrow = matchMedia('(max-width: 40rem)')

export const isNarrow = signal(narrow.matches)

narrow.addEventListener('change', ({ matches }) => (isNarrow.value = matches))

/** Returns the scroll position and the inner size of an element, in pixels. */
export const useViewport = (box: RefObject<HTMLElement | null>) => {
  const [view, setView] = useState({ top: 0, left: 0, width: 0, height: 0 })
  useLayoutEffect(() => {
    const { current } = box
    if (!current) return
    const look = (): void => {
      const { scrollTop: top, scrollLeft: left, clientWidth: width, clientHeight: height } = current
      setView({ top, left, width, height })
    }
    const sized = new ResizeObserver(look)
    sized.observe(current)
    current.addEventListener('scroll', look, { passive: true })
    return () => {
      sized.disconnect()
      current.removeEventListener('scroll', look)
    }
  }, [])
  return view
}
