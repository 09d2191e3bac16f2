// The configuration keys of named cursors.
import { integer, section } from './values.js'

export const cursorConfig = section({
  max_held: integer(
    0,
    2 ** 50,
    'A cursor that keeps more bytes of the log than this from going (`log.retain`), or more than are free on its disk, keeps them no longer, and its reader is answered 410; a line of the log warns at half of it. 0: cursors keep nothing.',
    { default: 2 ** 30 }
  ),
  max_per_token: integer(0, 1_000_000, 'Cursors that one token may own; 0 means no limit.', { default: 100 })
})
