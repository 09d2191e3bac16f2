// Keys of the pages: `/` to search, `?` for help, `.` to go to a name, `g` and a letter to go somewhere.
import { signal } from '@preact/signals'
import type { SectionPage } from './sections.js'

const UNUSED_AS = 'annals-keys-unused'

/** Whether keys of a single letter do something: people may turn them off (WCAG 2.1.4). */
export const areKeysUsed = signal(localStorage.getItem(UNUSED_AS) === null)

/** Remembers it in this browser. */
export const setKeysUsed = (areUsed: boolean): void => {
  if (areUsed) localStorage.removeItem(UNUSED_AS)
  else localStorage.setItem(UNUSED_AS, '')
  areKeysUsed.value = areUsed
}

const isWriting = (target: EventTarget | undefined): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))

interface KeyBindings {
  readonly go: (path: string) => void
  readonly help: () => void
  /** Asks where to go. */
  readonly open: () => void
}

/** @returns what stops listening */
export const listen = (places: readonly SectionPage[], { go, help, open }: KeyBindings): (() => void) => {
  let isGoing = false
  const pressed = (event: KeyboardEvent): void => {
    const { key } = event
    // An editor hides in it which element it is.
    const [target] = event.composedPath()
    const isAsked = (event.ctrlKey || event.metaKey) && key === 'k'
    // What is open in front of the page has keys of its own.
    if (document.querySelector('dialog[open]')) return
    if (isAsked && !event.altKey && !event.shiftKey) {
      event.preventDefault()
      return open()
    }
    if (!areKeysUsed.value || event.ctrlKey || event.metaKey || event.altKey || isWriting(target)) return
    // It may be held for the letter to come.
    if (key === 'Shift') return
    const place = isGoing ? places.find(each => each.key === key) : undefined
    if (place) go(place.path)
    else if (key === '/') {
      event.preventDefault()
      document.getElementById('search')?.focus()
    } else if (key === '?') help()
    else if (key === '.') {
      event.preventDefault()
      open()
    }
    isGoing = key === 'g' && !isGoing
  }
  addEventListener('keydown', pressed)
  return () => removeEventListener('keydown', pressed)
}
