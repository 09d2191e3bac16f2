import { setImmediate } from 'node:timers/promises'
import { crc32 } from 'node:zlib'

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

/** Bytes whose checksum one turn computes, at most some milliseconds. */
const TURN_BYTES = 4 * 1024 * 1024

/** Returns the CRC-32 of bytes, of many as a promise. They must not change meanwhile. */
export const checksumOf = (bytes: Buffer): number | Promise<number> =>
  bytes.length <= TURN_BYTES ? crc32(bytes) : checksumInTurns(bytes)

const checksumInTurns = async (bytes: Buffer): Promise<number> => {
  let checksum = 0
  for (let at = 0; at < bytes.length; at += TURN_BYTES) {
    if (at > 0) await setImmediate()
    checksum = crc32(bytes.subarray(at, at + TURN_BYTES), checksum)
  }
  return checksum
}
