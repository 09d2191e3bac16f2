import { setImmediate } from 'node:timers/promises'

/** Items that one turn of the event loop handles, some milliseconds. */
const TURN_ITEMS = 1024

/** Yields items in pages. Each page after the first one begins a turn of the event loop. */
export async function* pagesOf<Item>(items: Iterable<Item>): AsyncGenerator<readonly Item[]> {
  let page: Item[] = []
  for (const item of items) {
    if (page.length === TURN_ITEMS) {
      yield page
      page = []
      await setImmediate()
    }
    page.push(item)
  }
  yield page
}
