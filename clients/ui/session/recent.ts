// Resources that were opened last, until another token signs in or the tab is closed.
import { effect, signal } from '@preact/signals'
import { client } from './session.js'

interface Opened {
  readonly value: string
  readonly label: string
  readonly hint: string
}

const MAX_RECENT = 8

export const recent = signal<readonly Opened[]>([])

effect(() => {
  void client.value
  recent.value = []
})

/** Puts a resource first. @param opened its address, name and kind */
export const remember = (opened: Opened): void => {
  const others = recent.peek().filter(({ value }) => value !== opened.value)
  recent.value = [opened, ...others].slice(0, MAX_RECENT)
}
