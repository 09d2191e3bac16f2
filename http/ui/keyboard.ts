// Keys of the pages: `/` to search, `g` and a letter to go somewhere.
import { kinds } from './things/kinds.js'

const isWriting = (target: EventTarget | null): boolean =>
  target instanceof HTMLInputElement ||
  target instanceof HTMLTextAreaElement ||
  target instanceof HTMLSelectElement

/** @param go opens a path of the pages @returns what stops listening */
export const listen = (go: (path: string) => void): (() => void) => {
  let isGoing = false
  const pressed = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return
    const { key } = event
    const kind = isGoing ? kinds.find(each => each.key === key) : undefined
    if (kind) go(`/ui/${kind.path}`)
    else if (isGoing && key === 'e') go('/ui/')
    else if (isGoing && key === 'd') go('/ui/explain')
    else if (isGoing && key === 'v') go('/ui/server')
    else if (key === '/') {
      event.preventDefault()
      document.getElementById('search')?.focus()
    }
    isGoing = key === 'g'
  }
  addEventListener('keydown', pressed)
  return () => removeEventListener('keydown', pressed)
}
