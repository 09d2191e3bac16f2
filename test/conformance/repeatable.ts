// Loaded by node before a server that is recorded (`--import`): what the server draws at random is the same in every run. A
// UUID is greater than those drawn before it, so that lists ordered by IDs have one order.
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

const BLOCK = 16
/** IDs of the server's own begin with zeros. */
const FIRST = 0x10_00_00_00
/**
 * How many blocks were drawn for views of a length. Who draws at times of its own, as the log for its salts, does so in other
 * lengths than the source of IDs, and takes nothing from its sequence.
 */
const drawn = new Map<number, number>()

/** Fills with blocks of a UUID's length, each a number greater than the last and a hash of it. */
function fill<T extends NodeJS.ArrayBufferView>(view: T): T {
  const bytes = Buffer.from(view.buffer, view.byteOffset, view.byteLength)
  let count = drawn.get(bytes.length) ?? FIRST
  for (let at = 0; at < bytes.length; at += BLOCK) {
    const block = crypto.createHash('sha256').update(`${bytes.length} ${++count}`).digest()
    block.writeUInt32BE(count)
    block.copy(bytes, at, 0, BLOCK)
  }
  drawn.set(bytes.length, count)
  return view
}

Object.assign(crypto, {
  randomFillSync: fill,
  randomBytes: (size: number) => fill(Buffer.alloc(size))
})
syncBuiltinESMExports()
Math.random = () => 0.5
