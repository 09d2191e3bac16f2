// Keys of the pages: `/` to search, `g` and a letter to go somewhere.
import type { Place } from './area.js'

const isWriting = (target: EventTarget | undefined): boolean =>
  target instanceof HTMLInputElement ||
  target instanceof HTMLTextAreaElement ||
  target instanceof HTMLSelectElement ||
  (target instanceof HTMLElement && target.isContentEditable)

/** @param go opens a path of the pages @returns what stops listening */
export const listen = (places: readonly Place[], go: (path: string) => void): (() => void) => {
  let isGoing = false
  const pressed = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event.composedPath()[0])) return
    const { key } = event
    const place = isGoing ? places.find(each => each.key === key) : undefined
    if (place) go(place.path)
    else if (key === '/') {
      event.preventDefault()
      document.getElementById('search')?.focus()
    }
    isGoing = key === 'g'
  }
  addEventListener('keydown', pressed)
  return () => removeEventListener('keydown', pressed)
}
